//! How a kernel finds the pages of a tensor: the compile-time words of `TensorAccessorArgs`, and their meaning.
//!
//! The words are those of TT-Metalium 0.81: `[config, page]` for an interleaved tensor, and `[config, page, rank, banks, tensor
//! shape.., shard shape.., bank coordinates..]` for a sharded one, shapes in pages. The tests hold words that `ttnn` gave for the same
//! tensors. [`Accessor`] is the one place that turns a page number into an address, for the host and for both engines.

use thiserror::Error;

use crate::arch::{Arch, Core};

use super::memory::ShardGrid;

/// `ArgConfig` bits.
const SHARDED: u32 = 1;
const IN_DRAM: u32 = 2;
const RUNTIME: u32 = !(SHARDED | IN_DRAM);
/// Bit of the `banks` word: shard `s` lies in bank `s / ceil(shards / banks)`, not `s % banks`.
const CONTIGUOUS: u32 = 1 << 31;

/// Most dimensions that TT-Metalium's host accepts.
pub const MAX_RANK: usize = 8;
/// Most banks of a sharded tensor: all cores of the larger chip, and some to spare.
pub const MAX_BANKS: usize = 160;

/// Words that are no `TensorAccessorArgs`, or of a kind that is not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum AccessorError {
    #[error("tensor accessor: {need} words are needed, {have} are there")]
    TooFewWords { need: usize, have: usize },
    #[error("tensor accessor: configuration {config:#x} asks for runtime arguments, which are not supported")]
    RuntimeArgs { config: u32 },
    #[error("tensor accessor: rank {rank} is not in 1..={MAX_RANK}")]
    Rank { rank: u32 },
    #[error("tensor accessor: {banks} banks are not in 1..={MAX_BANKS}")]
    Banks { banks: u32 },
    #[error("tensor accessor: {what} is 0")]
    Zero { what: &'static str },
    #[error("tensor accessor: contiguous shards are not supported")]
    Contiguous,
}

/// Where a byte of a page lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PageAddr {
    Dram {
        bank: u32,
        addr: u64,
    },
    /// `x`, `y` are virtual coordinates, as NoC addresses have them.
    L1 {
        x: u32,
        y: u32,
        addr: u32,
    },
}

/// The decoded words. A plain value without heap memory, so it can live on the stack of a kernel that is dropped half-way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Accessor {
    arch: Arch,
    page: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(clippy::large_enum_variant, reason = "without heap memory, see above")]
enum Kind {
    Interleaved { dram: bool },
    Sharded(Sharded),
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Sharded {
    dram: bool,
    rank: usize,
    tensor: [u32; MAX_RANK],
    shard: [u32; MAX_RANK],
    banks: u32,
    /// `x << 8 | y`.
    coords: [u16; MAX_BANKS],
}

impl Accessor {
    /// Reads the words at the start of `words`; returns how many they were.
    pub fn decode(words: &[u32], arch: &Arch) -> Result<(Accessor, usize), AccessorError> {
        let at = |i: usize| words.get(i).copied().ok_or(AccessorError::TooFewWords { need: i + 1, have: words.len() });
        let (config, page) = (at(0)?, at(1)?);
        if config & RUNTIME != 0 {
            return Err(AccessorError::RuntimeArgs { config });
        }
        if page == 0 {
            return Err(AccessorError::Zero { what: "the page size" });
        }
        let dram = config & IN_DRAM != 0;
        if config & SHARDED == 0 {
            let kind = Kind::Interleaved { dram };
            return Ok((Accessor { arch: *arch, page, kind }, 2));
        }
        let (rank, banks) = (at(2)?, at(3)?);
        if rank == 0 || rank as usize > MAX_RANK {
            return Err(AccessorError::Rank { rank });
        }
        if banks & CONTIGUOUS != 0 {
            return Err(AccessorError::Contiguous);
        }
        if banks == 0 || banks as usize > MAX_BANKS {
            return Err(AccessorError::Banks { banks });
        }
        let rank = rank as usize;
        let used = 4 + 2 * rank + (banks as usize).div_ceil(2);
        if words.len() < used {
            return Err(AccessorError::TooFewWords { need: used, have: words.len() });
        }
        let mut out =
            Sharded { dram, rank, tensor: [1; MAX_RANK], shard: [1; MAX_RANK], banks, coords: [0; MAX_BANKS] };
        out.tensor[..rank].copy_from_slice(&words[4..4 + rank]);
        out.shard[..rank].copy_from_slice(&words[4 + rank..4 + 2 * rank]);
        if out.tensor.contains(&0) || out.shard.contains(&0) {
            return Err(AccessorError::Zero { what: "a dimension" });
        }
        for (i, coord) in out.coords[..banks as usize].iter_mut().enumerate() {
            *coord = (words[4 + 2 * rank + i / 2] >> (16 * (i % 2))) as u16;
        }
        Ok((Accessor { arch: *arch, page, kind: Kind::Sharded(out) }, used))
    }

    /// The distance of neighbouring pages of a bank: the page size, rounded up to the memory's alignment.
    pub const fn aligned_page_size(&self) -> u32 {
        self.page
    }

    /// With another page size, as the three-argument constructor of `TensorAccessor` does; it is aligned here.
    pub fn with_page_size(mut self, page: u32) -> Accessor {
        let alignment = if self.is_dram() { self.arch.dram_alignment } else { self.arch.l1_alignment };
        self.page = page.max(1).next_multiple_of(alignment);
        self
    }

    /// Whether the pages lie in DRAM; in L1 otherwise.
    pub const fn is_dram(&self) -> bool {
        match &self.kind {
            Kind::Interleaved { dram } => *dram,
            Kind::Sharded(s) => s.dram,
        }
    }

    /// Whether the pages lie in shards; one bank after the other otherwise.
    pub const fn is_sharded(&self) -> bool {
        matches!(self.kind, Kind::Sharded(_))
    }

    /// The number of pages, where the words tell: only those of a sharded tensor do.
    pub fn pages(&self) -> Option<u64> {
        match &self.kind {
            Kind::Interleaved { .. } => None,
            Kind::Sharded(s) => Some(s.tensor.iter().fold(1, |n: u64, &d| n.saturating_mul(u64::from(d)))),
        }
    }

    /// The first page of a shard and the number of pages of each; a tensor that is not sharded has none. As with pages nothing is
    /// checked: a shard past the end of the tensor begins past its end.
    pub fn shard(&self, shard: u32) -> Option<(u32, u32)> {
        let Kind::Sharded(s) = &self.kind else { return None };
        let (mut rest, mut first, mut stride) = (shard, 0u32, 1u32);
        for d in (0..s.rank).rev() {
            let grid = s.tensor[d].div_ceil(s.shard[d]);
            let at = if d == 0 { rest } else { rest % grid };
            rest /= grid;
            first = first.wrapping_add(at.wrapping_mul(s.shard[d]).wrapping_mul(stride));
            stride = stride.wrapping_mul(s.tensor[d]);
        }
        Some((first, s.shard[..s.rank].iter().product()))
    }

    /// The address of byte `offset` of page `page` of the tensor at `base`. Nothing is checked: a page past the end of the tensor gives an
    /// address past its end, as on the device.
    #[inline]
    pub fn locate(&self, base: u32, page: u32, offset: u32) -> PageAddr {
        match &self.kind {
            Kind::Interleaved { dram } => {
                let banks = if *dram { self.arch.dram_banks } else { self.arch.cores() };
                let (bank, slot) = (page % banks, page / banks);
                if *dram {
                    let addr = u64::from(base) + u64::from(slot) * u64::from(self.page) + u64::from(offset);
                    PageAddr::Dram { bank, addr }
                } else {
                    let core = Core::new(bank % self.arch.grid_x, bank / self.arch.grid_x);
                    let Core { x, y } = self.arch.virtual_core(core);
                    let addr = base.wrapping_add(slot.wrapping_mul(self.page)).wrapping_add(offset);
                    PageAddr::L1 { x, y, addr }
                }
            }
            Kind::Sharded(s) => {
                let (bank, slot) = s.locate(page);
                let coord = s.coords[bank];
                let (x, y) = (u32::from(coord >> 8), u32::from(coord & 0xFF));
                if s.dram {
                    let addr = u64::from(base) + slot.wrapping_mul(u64::from(self.page)) + u64::from(offset);
                    PageAddr::Dram { bank: x, addr }
                } else {
                    let addr = base.wrapping_add((slot as u32).wrapping_mul(self.page)).wrapping_add(offset);
                    PageAddr::L1 { x, y, addr }
                }
            }
        }
    }
}

impl Sharded {
    /// The bank of a page (an index into `coords`), and which page of the bank it is.
    fn locate(&self, page: u32) -> (usize, u64) {
        let (mut rest, mut shard_id, mut in_shard) = (page, 0u64, 0u64);
        let (mut shard_stride, mut page_stride) = (1u64, 1u64);
        for d in (0..self.rank).rev() {
            let (tensor, shard) = (self.tensor[d], self.shard[d]);
            // The outermost dimension is not wrapped: pages past the end stay past the end.
            let coord = if d == 0 { rest } else { rest % tensor };
            rest /= tensor;
            shard_id = shard_id.wrapping_add(u64::from(coord / shard).wrapping_mul(shard_stride));
            in_shard = in_shard.wrapping_add(u64::from(coord % shard).wrapping_mul(page_stride));
            shard_stride = shard_stride.wrapping_mul(u64::from(tensor.div_ceil(shard)));
            page_stride = page_stride.wrapping_mul(u64::from(shard));
        }
        let banks = u64::from(self.banks);
        let slot = (shard_id / banks).wrapping_mul(page_stride).wrapping_add(in_shard);
        ((shard_id % banks) as usize, slot)
    }
}

/// The words of an interleaved tensor.
pub(super) fn interleaved_words(dram: bool, aligned_page: u32) -> Vec<u32> {
    vec![if dram { IN_DRAM } else { 0 }, aligned_page]
}

/// The words of a sharded tensor.
pub(super) fn sharded_words(grid: &ShardGrid, aligned_page: u32, arch: &Arch) -> Vec<u32> {
    let ([high, wide], [shard_high, shard_wide]) = (grid.tensor, grid.shard);
    // TT-Metalium joins the two dimensions where a shard is one run of pages.
    let one_run = shard_wide == wide || shard_high == 1 && (high == 1 || wide % shard_wide == 0);
    let mut words = vec![if grid.dram { SHARDED | IN_DRAM } else { SHARDED }, aligned_page];
    let banks = grid.banks.len() as u32;
    if one_run {
        words.extend([1, banks, high * wide, shard_high * shard_wide]);
    } else {
        words.extend([2, banks, high, wide, shard_high, shard_wide]);
    }
    let coord = |core: &Core| {
        // DRAM banks have logical coordinates.
        let Core { x, y } = if grid.dram { *core } else { arch.virtual_core(*core) };
        x << 8 | y
    };
    words.extend(grid.banks.chunks(2).map(|pair| {
        let high = pair.get(1).map_or(0, coord);
        high << 16 | pair.first().map_or(0, coord)
    }));
    words
}

#[cfg(test)]
#[path = "accessor_tests.rs"]
mod tests;
