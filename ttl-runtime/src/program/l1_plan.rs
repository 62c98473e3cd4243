//! Who takes which part of L1.

use std::fmt;
use std::sync::Arc;

use crate::arch::{Arch, Core};
use crate::cores::CoreSet;

/// What a part of L1 is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum L1Use {
    /// Firmware, kernels, arguments and semaphores.
    Reserved,
    Buffer {
        name: Arc<str>,
        pages: u32,
        page_size: u32,
        format: &'static str,
        /// The buffer whose memory it has.
        shares: Option<Arc<str>>,
    },
    Tensor {
        name: Arc<str>,
    },
}

impl fmt::Display for L1Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            L1Use::Reserved => f.write_str("firmware, kernels, arguments"),
            L1Use::Buffer { name, pages, page_size, format, shares } => {
                let plural = if *pages == 1 { "page" } else { "pages" };
                write!(f, "buffer `{name}`, {pages} {plural} of {page_size} ({format})")?;
                shares.as_ref().map_or(Ok(()), |of| write!(f, ", in the memory of `{of}`"))
            }
            L1Use::Tensor { name } => write!(f, "tensor `{name}`"),
        }
    }
}

/// One part of L1, on some cores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct L1Part {
    pub what: L1Use,
    pub cores: CoreSet,
    pub address: u32,
    pub bytes: u64,
}

/// The L1 of all cores of a program: buffers from the bottom, tensors from the top.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct L1Plan {
    /// By address.
    pub parts: Vec<L1Part>,
    /// Where buffers must end: at the lowest tensor, or at the end of L1.
    pub limit: u32,
    pub l1_size: u32,
}

impl L1Plan {
    pub(super) fn new(arch: &Arch, limit: u32, mut parts: Vec<L1Part>, cores: &CoreSet) -> L1Plan {
        parts.push(L1Part { what: L1Use::Reserved, cores: cores.clone(), address: 0, bytes: u64::from(arch.l1_base) });
        parts.sort_by_key(|part| part.address);
        L1Plan { parts, limit, l1_size: arch.l1_size }
    }

    /// Where the buffers of a core end.
    pub fn buffers_end(&self, core: Core) -> u64 {
        self.parts
            .iter()
            .filter(|p| !matches!(p.what, L1Use::Tensor { .. }) && p.cores.contains(core))
            .map(|p| u64::from(p.address) + p.bytes)
            .max()
            .unwrap_or(0)
    }

    /// The plan of one core only.
    pub fn of_core(&self, core: Core) -> L1Plan {
        let mut plan = self.clone();
        plan.parts.retain(|p| p.cores.contains(core));
        plan
    }
}

/// A table, one part a line, with the sum below.
impl fmt::Display for L1Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_set = self.parts.windows(2).all(|pair| pair[0].cores == pair[1].cores);
        write!(f, "{:>9} {:>9} {:>9}  what", "from", "to", "bytes")?;
        for part in &self.parts {
            let end = u64::from(part.address) + part.bytes;
            write!(f, "\n{:>9} {end:>9} {:>9}  {}", part.address, part.bytes, part.what)?;
            if !one_set {
                write!(f, " on {}", part.cores)?;
            }
        }
        let end = self
            .parts
            .iter()
            .filter(|p| !matches!(p.what, L1Use::Tensor { .. }))
            .map(|p| u64::from(p.address) + p.bytes)
            .max()
            .unwrap_or(0);
        let limit = u64::from(self.limit);
        let until = if self.limit < self.l1_size { "the lowest tensor" } else { "the end of L1" };
        if end <= limit {
            write!(f, "\n{end:>9} {limit:>9} {:>9}  free up to {until}", limit - end)
        } else {
            write!(f, "\n{:>9} {limit:>9} {:>9}  too much: {until} is at {limit}", "", end - limit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, address: u32, pages: u32, cores: &CoreSet) -> L1Part {
        L1Part {
            what: L1Use::Buffer { name: name.into(), pages, page_size: 2048, format: "bf16", shares: None },
            cores: cores.clone(),
            address,
            bytes: u64::from(pages) * 2048,
        }
    }

    #[test]
    fn tables() {
        let arch = Arch::blackhole();
        let one = CoreSet::from(Core::new(0, 0));
        let parts = vec![part("a", 110_592, 2, &one), part("b", 114_688, 1, &one)];
        let plan = L1Plan::new(&arch, arch.l1_size, parts, &one);
        assert_eq!(
            plan.to_string(),
            "     from        to     bytes  what
        0    110592    110592  firmware, kernels, arguments
   110592    114688      4096  buffer `a`, 2 pages of 2048 (bf16)
   114688    116736      2048  buffer `b`, 1 page of 2048 (bf16)
   116736   1572864   1456128  free up to the end of L1"
        );
        assert_eq!(plan.buffers_end(Core::new(0, 0)), 116_736);
        assert_eq!(plan.buffers_end(Core::new(1, 0)), 0);
    }

    #[test]
    fn overflow_and_core_sets() {
        let arch = Arch::blackhole();
        let one = CoreSet::from(Core::new(0, 0));
        let two = one.union(&Core::new(1, 0).into());
        let mut parts = vec![part("a", 110_592, 700, &two), part("b", 1_544_192, 2, &one)];
        parts.push(L1Part {
            what: L1Use::Tensor { name: "w".into() },
            cores: two.clone(),
            address: 1_546_000,
            bytes: 26_864,
        });
        let plan = L1Plan::new(&arch, 1_546_000, parts, &two);
        assert_eq!(
            plan.to_string(),
            "     from        to     bytes  what
        0    110592    110592  firmware, kernels, arguments on (0,0)-(1,0)
   110592   1544192   1433600  buffer `a`, 700 pages of 2048 (bf16) on (0,0)-(1,0)
  1544192   1548288      4096  buffer `b`, 2 pages of 2048 (bf16) on (0,0)
  1546000   1572864     26864  tensor `w` on (0,0)-(1,0)
            1546000      2288  too much: the lowest tensor is at 1546000"
        );
        let other = plan.of_core(Core::new(1, 0));
        assert_eq!(other.parts.len(), 3);
        assert!(other.to_string().ends_with("  1544192   1546000      1808  free up to the lowest tensor"));
    }
}
