//! How a block is split into sections of tile registers: the same for the native run and for the generated C++.

use super::fuse::Plan;

/// Rows and columns of tiles of the largest section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section {
    pub rows: u32,
    pub cols: u32,
}

impl Section {
    /// For a block of `rows` x `cols` tiles. `shaped`: the place of a tile matters; else the block may as well be one row.
    pub const fn of(plan: &Plan, shaped: bool, rows: u32, cols: u32) -> Section {
        let capacity = plan.tiles_per_section;
        if plan.matmul {
            return product(capacity, rows, cols);
        }
        if !shaped || cols >= capacity {
            return Section { rows: 1, cols: capacity };
        }
        if cols == 0 {
            return Section { rows: 1, cols: 1 };
        }
        Section { rows: capacity / cols, cols }
    }
}

/// The largest part of a matrix product whose sides divide those of the whole; of equal ones the squarest, which unpacks least, then the wider.
const fn product(capacity: u32, rows: u32, cols: u32) -> Section {
    let mut best = Section { rows: 1, cols: 1 };
    let mut r = 1;
    while r <= rows && r <= capacity {
        let mut c = 1;
        while c <= cols && r * c <= capacity {
            let (tiles, most) = (r * c, best.rows * best.cols);
            let (sides, least) = (r + c, best.rows + best.cols);
            let better = tiles > most || (tiles == most && (sides < least || (sides == least && c > best.cols)));
            if rows.is_multiple_of(r) && cols.is_multiple_of(c) && better {
                best = Section { rows: r, cols: c };
            }
            c += 1;
        }
        r += 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(tiles_per_section: u32, matmul: bool) -> Plan {
        Plan { steps: vec![], slots_per_tile: 1, result_slot: 0, tiles_per_section, acc: false, matmul }
    }

    #[test]
    fn sections_fill_the_registers() {
        let size = |p: &Plan, shaped, r, c| {
            let s = Section::of(p, shaped, r, c);
            (s.rows, s.cols)
        };
        let eight = plan(8, false);
        assert_eq!(size(&eight, false, 4, 3), (1, 8));
        assert_eq!(size(&eight, true, 4, 3), (2, 3));
        assert_eq!(size(&eight, true, 4, 12), (1, 8));
        assert_eq!(size(&eight, true, 12, 1), (8, 1));
        let product = plan(8, true);
        assert_eq!(size(&product, true, 2, 2), (2, 2));
        assert_eq!(size(&product, true, 4, 4), (2, 4));
        assert_eq!(size(&product, true, 3, 3), (1, 3));
        assert_eq!(size(&product, true, 1, 16), (1, 8));
        assert_eq!(size(&plan(4, true), true, 4, 4), (2, 2));
    }
}
