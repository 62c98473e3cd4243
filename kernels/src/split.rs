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
    let (each, more) = (items / cores, items % cores);
    let shares = (0..cores).map(|i| Share { first: i * each + i.min(more), count: each + u32::from(i < more) });
    Split::new(shares.collect(), grid)
}

/// `items` divided among the cores of `grid` where they are not equally much work: each core gets a sequence of items, such that the busiest has
/// as little as such a division allows. What more cores would not help stays on fewer.
pub fn split_by_work(items: u32, grid: &CoreSet, work: impl Fn(u32) -> u32) -> Split {
    let work: Vec<u64> = (0..items).map(|item| work(item).into()).collect();
    // As much as fits `limit` for a core, then the next.
    let shares = |limit: u64| {
        let mut shares = vec![Share { first: 0, count: 0 }];
        let mut sum = 0;
        for (item, &work) in (0..).zip(&work) {
            if sum + work > limit {
                shares.push(Share { first: item, count: 0 });
                sum = 0;
            }
            sum += work;
            if let Some(last) = shares.last_mut() {
                last.count += 1;
            }
        }
        shares
    };
    // The smallest limit that these cores suffice for.
    let (mut low, mut high) = (work.iter().copied().max().unwrap_or(0), work.iter().sum::<u64>());
    while low < high {
        let middle = low.midpoint(high);
        if shares(middle).len() <= grid.len() {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Split::new(shares(high), grid)
}

/// Work divided by [`split`] or [`split_by_work`].
#[derive(Clone, Debug)]
pub struct Split {
    /// One for each of `cores`.
    shares: Vec<Share>,
    /// The cores that have work.
    pub cores: CoreSet,
}

impl Split {
    fn new(shares: Vec<Share>, grid: &CoreSet) -> Split {
        let cores = grid.iter().take(shares.len()).collect();
        Split { shares, cores }
    }

    /// The share of a core; empty for one that is not in [`Split::cores`].
    pub fn share(&self, core: Core) -> Share {
        let share = self.cores.position(core).and_then(|i| self.shares.get(i));
        share.copied().unwrap_or(Share { first: 0, count: 0 })
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

    #[test]
    fn the_busiest_core_has_as_little_as_can_be() {
        let grid = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(2, 0)));
        // 4 | 1 1 1 | 3 and 4 | 3 1 | 4: no division is better.
        for (work, busiest) in
            [(vec![4, 1, 1, 1, 3], 4), (vec![4, 3, 1, 4], 4), (vec![5, 5], 5), (vec![0, 0, 0, 0], 0), (vec![], 0)]
        {
            let split = split_by_work(work.len() as u32, &grid, |item| work[item as usize]);
            let shares: Vec<Share> = split.cores.iter().map(|core| split.share(core)).collect();
            let of = |s: &Share| work[s.first as usize..][..s.count as usize].iter().sum::<u32>();
            assert_eq!(shares.iter().map(of).max(), Some(busiest), "{work:?}: {shares:?}");
            assert_eq!(shares.iter().map(|s| s.count).sum::<u32>(), work.len() as u32);
        }
    }
}
