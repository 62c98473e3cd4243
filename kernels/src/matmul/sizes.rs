//! Sizes that host and kernels share: of blocks, of the whole product, and of the part of it that a core computes. All in tiles.

/// Blocks of the result are `m` x `n` tiles and computed in steps of `k` tiles, `sub_m` x `sub_n` tiles at a time in the tile registers.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Blocks {
    /// Rows.
    pub m: u32,
    /// Columns.
    pub n: u32,
    /// Of a step, along k.
    pub k: u32,
    /// Divides `m`.
    pub sub_m: u32,
    /// Divides `n`.
    pub sub_n: u32,
}

#[ttl::device]
impl Blocks {
    /// Tiles of a block of the result.
    pub fn tiles(&self) -> u32 {
        self.m * self.n
    }

    /// Tile registers of a sub-block.
    pub fn registers(&self) -> u32 {
        self.sub_m * self.sub_n
    }
}

/// The product: `m` x `n` tiles, sums over `k`.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Rows of the result.
    pub m: u32,
    /// Columns of the result.
    pub n: u32,
    /// The length of the sums.
    pub k: u32,
}

/// What a core computes: result blocks `first..first + count`, counted row by row in a band of `columns` blocks that begins at row `row` and column
/// `column` of the result's blocks; of the sums along k the steps `first_step..first_step + steps`.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// The first block.
    pub first: u32,
    /// How many blocks.
    pub count: u32,
    /// Blocks of a row of the band.
    pub columns: u32,
    /// The row of blocks with which the band begins.
    pub row: u32,
    /// The column of blocks with which it begins.
    pub column: u32,
    /// The first step along k.
    pub first_step: u32,
    /// How many steps.
    pub steps: u32,
}

#[ttl::device]
impl Work {
    /// The first row of tiles of block `i`.
    pub fn top(&self, i: u32, blocks: Blocks) -> u32 {
        (self.row + i / self.columns) * blocks.m
    }

    /// The first column of tiles of block `i`.
    pub fn left(&self, i: u32, blocks: Blocks) -> u32 {
        (self.column + i % self.columns) * blocks.n
    }
}
