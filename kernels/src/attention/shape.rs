//! What the kernels of attention know of their tensors, and how the work is cut into blocks.

use crate::pieces::pieces;

/// Sizes in tiles. The kernels get them as constants.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Queries of a batch entry.
    pub queries: u32,
    /// Keys of a batch entry.
    pub keys: u32,
    /// Heads of queries.
    pub heads: u32,
    /// Heads that share keys and values.
    pub group: u32,
    /// Of a head's queries and keys.
    pub depth: u32,
    /// Of a head's values.
    pub width: u32,
    /// A block of queries.
    pub rows: u32,
    /// A block of keys.
    pub cols: u32,
    /// The first tile of keys that is not whole for the first tile of queries.
    pub edge: u32,
    /// How many tiles of keys the edge moves on from one tile of queries to the next: 1 with a causal mask, else 0.
    pub slope: u32,
    /// Tiles of keys from the edge on of which something counts: of a causal mask 1 or 2.
    pub reach: u32,
    /// What is computed at a time.
    pub sections: Sections,
}

/// What is computed in one section of tile registers.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sections {
    /// Of the queries: tiles.
    pub queries: u32,
    /// Of the scores.
    pub score_rows: u32,
    /// Columns of them.
    pub score_cols: u32,
    /// Of the maxima: rows, with two registers each.
    pub max_rows: u32,
    /// Of the sums: rows.
    pub sum_rows: u32,
    /// Of the values.
    pub value_rows: u32,
    /// Columns of them.
    pub value_cols: u32,
}

#[ttl::device]
impl Shape {
    /// Blocks of queries of one head.
    pub fn query_blocks(self) -> u32 {
        pieces(self.queries, self.rows)
    }

    /// Blocks of keys that count for a block of queries.
    pub fn key_blocks(self, query_block: u32) -> u32 {
        let mut keys = self.keys;
        if self.slope > 0 {
            keys = keys.min(self.edge + (query_block + 1) * self.rows - 1 + self.reach);
        }
        pieces(keys, self.cols)
    }

    /// The first tile of keys that is not whole for tile `row` of a block of queries.
    pub fn edge_of(self, query_block: u32, row: u32) -> u32 {
        self.edge + self.slope * (query_block * self.rows + row)
    }
}

/// The largest part of `rows` x `cols` tiles whose sides divide them and that fits in `registers`; of equal ones the squarest, which unpacks least.
pub(super) fn part(rows: u32, cols: u32, registers: u32) -> (u32, u32) {
    let sides = |n: u32| (1..=n).filter(move |s| n.is_multiple_of(*s));
    let parts = sides(rows).flat_map(|r| sides(cols).map(move |c| (r, c)));
    let best = parts.filter(|(r, c)| r * c <= registers).max_by_key(|(r, c)| (r * c, u32::MAX - (r + c), *c));
    best.unwrap_or((1, 1))
}

impl Sections {
    pub(super) fn of(rows: u32, cols: u32, depth: u32, width: u32, registers: u32) -> Sections {
        let (score_rows, score_cols) = part(rows, cols, registers);
        let (value_rows, value_cols) = part(rows, width, registers);
        Sections {
            queries: part(1, rows * depth, registers).1,
            score_rows,
            score_cols,
            max_rows: part(1, rows, registers / 2).1,
            sum_rows: part(1, rows, registers).1,
            value_rows,
            value_cols,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_divide_and_fit() {
        assert_eq!(part(4, 4, 4), (2, 2));
        assert_eq!(part(4, 4, 8), (2, 4));
        assert_eq!(part(3, 5, 8), (1, 5));
        assert_eq!(part(3, 1, 4), (3, 1));
        assert_eq!(part(1, 7, 4), (1, 1));
    }
}
