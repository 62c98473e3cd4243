//! Dividing work among cores.
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::split::{Share, split};
//!
//! let cores = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(2, 0)));
//! let split = split(7, &cores);
//! assert_eq!(split.share(Core::new(0, 0)), Share { first: 0, count: 3 });
//! assert_eq!(split.share(Core::new(2, 0)), Share { first: 5, count: 2 });
//! // As arguments of a kernel: `program.kernel(&split.cores, read { .., first: split.first(), count: split.count() })`.
//! # let _ = (split.first(), split.count());
//! ```

use ttl::prelude::*;

/// A share of a sequence of work items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// The number of its first item.
    pub first: u32,
    /// How many items it has.
    pub count: u32,
}

/// `items` divided among the cores of `grid` in row-major order, as evenly as they go: the first cores get one more. Cores without work are
/// left out.
pub fn split(items: u32, grid: &CoreSet) -> Split {
    let cores = (grid.len() as u32).min(items.max(1));
    let used: CoreSet = grid.iter().take(cores as usize).collect();
    Split { items, cores: used }
}

/// Work divided by [`split`].
#[derive(Clone, Debug)]
pub struct Split {
    items: u32,
    /// The cores that have work.
    pub cores: CoreSet,
}

impl Split {
    /// The share of a core; empty for one that is not in [`Split::cores`].
    pub fn share(&self, core: Core) -> Share {
        let Some(i) = self.cores.position(core) else { return Share { first: 0, count: 0 } };
        let (i, cores) = (i as u32, self.cores.len() as u32);
        let (each, more) = (self.items / cores, self.items % cores);
        Share { first: i * each + i.min(more), count: each + u32::from(i < more) }
    }

    /// The first item of each core, as a runtime argument.
    pub fn first(&self) -> PerCore<u32> {
        let split = self.clone();
        per_core(move |core| split.share(core).first)
    }

    /// How many items each core has, as a runtime argument.
    pub fn count(&self) -> PerCore<u32> {
        let split = self.clone();
        per_core(move |core| split.share(core).count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_every_item_once() {
        let grid = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(10, 9)));
        for items in [1, 2, 109, 110, 111, 1024, 4096] {
            let split = split(items, &grid);
            let mut next = 0;
            for core in split.cores.iter() {
                let share = split.share(core);
                assert_eq!(share.first, next);
                assert!(share.count > 0);
                next += share.count;
            }
            assert_eq!(next, items);
        }
    }
}
