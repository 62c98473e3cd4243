//! Sets of logical cores: rectangles and unions of rectangles, always walked row by row.

use std::collections::BTreeSet;
use std::fmt;

use crate::arch::Core;

/// A rectangle of cores, both corners inclusive.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CoreRange {
    first: Core,
    last: Core,
}

impl CoreRange {
    /// The rectangle that two opposite corners span, in whatever order they come.
    pub const fn new(a: Core, b: Core) -> CoreRange {
        const fn min(a: u32, b: u32) -> u32 {
            if a < b { a } else { b }
        }
        const fn max(a: u32, b: u32) -> u32 {
            if a > b { a } else { b }
        }
        CoreRange { first: Core::new(min(a.x, b.x), min(a.y, b.y)), last: Core::new(max(a.x, b.x), max(a.y, b.y)) }
    }

    /// One core.
    pub const fn single(core: Core) -> CoreRange {
        CoreRange { first: core, last: core }
    }

    /// `width` columns and `height` rows from (0, 0); `None` if either is 0.
    pub const fn grid(width: u32, height: u32) -> Option<CoreRange> {
        match (width.checked_sub(1), height.checked_sub(1)) {
            (Some(x), Some(y)) => Some(CoreRange { first: Core::new(0, 0), last: Core::new(x, y) }),
            _ => None,
        }
    }

    /// The top left core.
    pub const fn first(&self) -> Core {
        self.first
    }

    /// The bottom right core.
    pub const fn last(&self) -> Core {
        self.last
    }

    /// Cores side by side.
    pub const fn width(&self) -> u32 {
        self.last.x - self.first.x + 1
    }

    /// Cores above one another.
    pub const fn height(&self) -> u32 {
        self.last.y - self.first.y + 1
    }

    /// Whether a core is in it.
    pub const fn contains(&self, core: Core) -> bool {
        self.first.x <= core.x && core.x <= self.last.x && self.first.y <= core.y && core.y <= self.last.y
    }

    /// Row by row, from the top left.
    pub fn iter(&self) -> impl Iterator<Item = Core> + use<> {
        let CoreRange { first, last } = *self;
        (first.y..=last.y).flat_map(move |y| (first.x..=last.x).map(move |x| Core::new(x, y)))
    }
}

impl fmt::Display for CoreRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CoreRange { first, last } = self;
        write!(f, "({},{})", first.x, first.y)?;
        if first != last {
            write!(f, "-({},{})", last.x, last.y)?;
        }
        Ok(())
    }
}

impl fmt::Debug for CoreRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of cores. Iteration, and with it the order of per-core values, is row-major.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct CoreSet {
    /// Sorted row-major, no core twice. Chips have some hundred cores, so a plain list is small and quick.
    cores: Vec<Core>,
}

impl CoreSet {
    /// No core.
    pub const fn empty() -> CoreSet {
        CoreSet { cores: Vec::new() }
    }

    /// How many cores there are.
    pub fn len(&self) -> usize {
        self.cores.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cores.is_empty()
    }

    /// The cores, row by row.
    pub fn as_slice(&self) -> &[Core] {
        &self.cores
    }

    /// The cores, row by row.
    pub fn iter(&self) -> impl Iterator<Item = Core> + '_ {
        self.cores.iter().copied()
    }

    /// Whether a core is in it.
    pub fn contains(&self, core: Core) -> bool {
        self.position(core).is_some()
    }

    /// Where a core stands in iteration order.
    pub fn position(&self, core: Core) -> Option<usize> {
        self.cores.binary_search_by_key(&(core.y, core.x), |c| (c.y, c.x)).ok()
    }

    /// Whether both have a core in common.
    pub fn overlaps(&self, other: &CoreSet) -> bool {
        self.iter().any(|c| other.contains(c))
    }

    /// The cores of either.
    pub fn union(&self, other: &CoreSet) -> CoreSet {
        self.iter().chain(other.iter()).collect()
    }

    /// The cores of both.
    pub fn intersection(&self, other: &CoreSet) -> CoreSet {
        self.iter().filter(|&c| other.contains(c)).collect()
    }

    /// The cores of `self` that are not in `other`.
    pub fn difference(&self, other: &CoreSet) -> CoreSet {
        self.iter().filter(|&c| !other.contains(c)).collect()
    }

    /// The one rectangle that is this set, if it is one.
    pub fn as_rectangle(&self) -> Option<CoreRange> {
        let range = CoreRange::new(*self.cores.first()?, *self.cores.last()?);
        (range.width() as usize * range.height() as usize == self.len() && self.iter().all(|c| range.contains(c)))
            .then_some(range)
    }

    /// A few rectangles that make up the set: runs of a row, joined with equal runs of the rows below.
    pub fn rectangles(&self) -> Vec<CoreRange> {
        let mut out: Vec<CoreRange> = Vec::new();
        let mut rest = self.cores.as_slice();
        while let Some((&start, _)) = rest.split_first() {
            let run = rest.iter().zip(0u32..).take_while(|(c, i)| c.y == start.y && c.x == start.x + i).count();
            let end = rest[run - 1];
            rest = &rest[run..];
            let above = out.iter_mut().find(|r| r.last.y + 1 == start.y && r.first.x == start.x && r.last.x == end.x);
            match above {
                Some(range) => range.last = end,
                None => out.push(CoreRange { first: start, last: end }),
            }
        }
        out
    }
}

impl FromIterator<Core> for CoreSet {
    fn from_iter<I: IntoIterator<Item = Core>>(cores: I) -> CoreSet {
        let sorted: BTreeSet<(u32, u32)> = cores.into_iter().map(|c| (c.y, c.x)).collect();
        CoreSet { cores: sorted.into_iter().map(|(y, x)| Core::new(x, y)).collect() }
    }
}

impl From<CoreRange> for CoreSet {
    fn from(range: CoreRange) -> CoreSet {
        CoreSet { cores: range.iter().collect() }
    }
}

impl From<Core> for CoreSet {
    fn from(core: Core) -> CoreSet {
        CoreSet { cores: vec![core] }
    }
}

impl From<&CoreSet> for CoreSet {
    fn from(set: &CoreSet) -> CoreSet {
        set.clone()
    }
}

impl fmt::Display for CoreSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no core");
        }
        for (i, range) in self.rectangles().iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{range}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for CoreSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(x: u32, y: u32) -> Core {
        Core::new(x, y)
    }

    #[test]
    fn rectangles_normalise_their_corners() {
        let range = CoreRange::new(core(3, 0), core(1, 2));
        assert_eq!((range.first(), range.last()), (core(1, 0), core(3, 2)));
        assert_eq!((range.width(), range.height()), (3, 3));
        assert_eq!(range.to_string(), "(1,0)-(3,2)");
        assert_eq!(CoreRange::single(core(2, 5)).to_string(), "(2,5)");
        assert!(range.contains(core(2, 1)) && !range.contains(core(0, 0)));
        assert_eq!(CoreRange::grid(0, 3), None);
    }

    #[test]
    fn sets_walk_row_by_row() {
        let set: CoreSet = [core(1, 1), core(0, 0), core(5, 0), core(0, 0)].into_iter().collect();
        assert_eq!(set.as_slice(), [core(0, 0), core(5, 0), core(1, 1)]);
        assert_eq!(set.position(core(1, 1)), Some(2));
        assert_eq!(set.position(core(1, 0)), None);
        assert_eq!(set.to_string(), "(0,0), (5,0), (1,1)");
        assert_eq!(set.as_rectangle(), None);
    }

    #[test]
    fn rectangles_are_found_again() {
        let grid = CoreSet::from(CoreRange::new(core(0, 0), core(7, 7)));
        assert_eq!(grid.len(), 64);
        assert_eq!(grid.to_string(), "(0,0)-(7,7)");
        assert_eq!(grid.as_rectangle(), CoreRange::grid(8, 8));
        let tail = grid.union(&CoreRange::new(core(0, 8), core(2, 8)).into());
        assert_eq!(tail.to_string(), "(0,0)-(7,7), (0,8)-(2,8)");
        assert_eq!(CoreSet::empty().to_string(), "no core");
        let total: u32 = tail.rectangles().iter().map(|r| r.width() * r.height()).sum();
        assert_eq!(total as usize, tail.len());
    }

    #[test]
    fn set_algebra() {
        let a = CoreSet::from(CoreRange::new(core(0, 0), core(3, 0)));
        let b = CoreSet::from(CoreRange::new(core(2, 0), core(5, 0)));
        assert!(a.overlaps(&b));
        assert_eq!(a.intersection(&b).to_string(), "(2,0)-(3,0)");
        assert_eq!(a.difference(&b).to_string(), "(0,0)-(1,0)");
        assert!(!a.difference(&b).overlaps(&b));
    }
}
