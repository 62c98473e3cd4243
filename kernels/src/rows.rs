//! What kernels along rows share: how a row is cut into blocks, its transfers, the padding of its last tile, and the sums of its elements.
//!
//! A *row* here is a row of tiles: 32 rows of elements. A core works on whole rows. Either a row lies in L1 as one block and is read once, or it goes
//! through L1 in blocks of a few tiles, as often as its kernel needs it. Both are the same reader and writer with another [`Cut`].
//!
//! What stands in a tensor beside its last column is not known: the reader sets it, to zero for sums, to the lowest number for maxima.

mod plan;

pub use plan::{Fit, Form, RowOptions, is_row, lowest, same_shapes};
pub(crate) use plan::{parts, staged, tile};

use crate::pieces::{piece_at, pieces, read_piece, write_piece};
use crate::tiles::pad_tile;
use ttl::prelude::*;

/// How a row of tiles is cut into blocks.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Tiles of a row.
    pub width: u32,
    /// Pages of a block in its circular buffer. The last block of a row has as many, though it may have fewer tiles.
    pub block: u32,
    /// Blocks of a row.
    pub blocks: u32,
    /// Columns of the last tile that count.
    pub columns: u32,
}

#[ttl::device]
impl Cut {
    /// The first tile of block `at` of a row.
    pub fn first(self, at: u32) -> u32 {
        at * self.block
    }

    /// Tiles of block `at` of a row.
    pub fn tiles(self, at: u32) -> u32 {
        piece_at(self.first(at), self.block, self.width)
    }

    /// Whether block `at` ends with a tile that is not full.
    pub fn is_padded(self, at: u32) -> bool {
        at + 1 == self.blocks && self.columns < 32
    }
}

impl Cut {
    /// A row of `width` tiles in blocks of `block`.
    pub fn new(width: u32, block: u32, columns: u32) -> Cut {
        Cut { width, block, blocks: pieces(width, block), columns }
    }
}

/// A tensor and the buffer that its blocks go to.
#[ttl::device]
#[derive(Debug)]
pub struct Source<T: Element> {
    /// What is read.
    pub tensor: TensorAccessor<T>,
    /// Where blocks of it go.
    pub out: CbOut<T>,
}

/// Reads block `at` of row `row` and sets the padding, if it has some, to `padding`: the word of an f32, or of two bf16.
#[ttl::device]
pub fn read_part<T: Element>(noc: Noc, from: &Source<T>, cut: Cut, row: u32, at: u32, padding: u32) {
    let tiles = cut.tiles(at);
    let mut block = from.out.reserve_back(cut.block);
    read_piece(noc, &from.tensor, &mut block, row * cut.width + cut.first(at), tiles);
    if cut.is_padded(at) {
        let bytes = from.out.get_tile_size();
        pad_tile(&noc, block.get_write_ptr() + (tiles - 1) * bytes, bytes / 1024, 32, cut.columns, padding);
    }
}

/// What [`write_weights`] makes: weights of all columns, weights of the columns of a row's last tile that count, a tile of zeros.
pub const ALL: u32 = 0;
/// The weights of the columns of a row's last tile that count: 1 for those, 0 for the others.
pub const LAST: u32 = 1;
/// A tile of zeros.
pub const ZEROS: u32 = 2;
/// How many tiles these are.
pub const WEIGHTS: u32 = 3;

/// Pushes the three tiles by which sums along rows weigh columns: column `c` counts as much as element `c` of row 0 of the tile says, in its upper and
/// in its lower faces.
#[ttl::device]
pub fn write_weights(out: &CbOut<bf16>, columns: u32) {
    let mut tiles = out.reserve_back(3);
    for word in 0..3 * 512 {
        tiles.write_u32(word, 0);
    }
    for pair in 0..16 {
        // Two columns to a word; 16 columns to a face of 128 words.
        let word = pair / 8 * 128 + pair % 8;
        let mut last = 0;
        if 2 * pair < columns {
            last = 0x3F80;
        }
        if 2 * pair + 1 < columns {
            last = 0x3F80_3F80;
        }
        for half in 0..2 {
            tiles.write_u32(word + half * 256, 0x3F80_3F80);
            tiles.write_u32(512 + word + half * 256, last);
        }
    }
}

/// Reads rows, each `passes` times.
#[ttl::kernel(reader)]
pub fn read<T: Element>(
    noc: Noc,
    x: Source<T>,
    #[ttl(common)] cut: Cut,
    #[ttl(common)] passes: u32,
    #[ttl(common)] padding: u32,
    first: u32,
    count: u32,
) {
    for row in first..first + count {
        for _ in 0..passes {
            for at in 0..cut.blocks {
                read_part(noc, &x, cut, row, at, padding);
            }
        }
    }
}

/// Writes rows.
#[ttl::kernel(writer)]
pub fn write<T: Element>(
    noc: Noc,
    y: TensorAccessor<T>,
    y_in: CbIn<T>,
    #[ttl(common)] cut: Cut,
    first: u32,
    count: u32,
) {
    for row in first..first + count {
        for at in 0..cut.blocks {
            write_piece(noc, &y, &y_in, cut.block, row * cut.width + cut.first(at), cut.tiles(at));
        }
    }
}

/// Row 0 of each of `tiles` tiles, in every row: a block that others can be combined with element by element. Both buffers have `pages` pages to a block.
#[ttl::device]
pub fn repeat_block<T: Element, E: Element>(
    compute: Compute,
    row: &CbIn<T>,
    full: &CbOut<E>,
    weights: &Front<bf16>,
    pages: u32,
    tiles: u32,
) {
    let row = row.wait_front(pages);
    let mut full = full.reserve_back(pages);
    repeat_row(compute, &row, &mut full, weights, tiles);
}

/// The same for part `at` of a row that comes in parts and stays as a whole.
#[ttl::device]
pub fn repeat_part<T: Element, E: Element>(
    compute: Compute,
    row: &CbIn<T>,
    full: &CbOut<E>,
    weights: &Front<bf16>,
    parts: Cut,
    at: u32,
) {
    let row = row.wait_front(parts.block);
    let mut full = full.reserve_back(parts.tiles(at));
    repeat_row(compute, &row, &mut full, weights, parts.tiles(at));
}

#[ttl::device]
fn repeat_row<T: Element, E: Element>(
    compute: Compute,
    row: &Front<T>,
    full: &mut Reserved<E>,
    weights: &Front<bf16>,
    tiles: u32,
) {
    for i in 0..tiles {
        let mut regs = compute.acquire();
        regs.add_tiles_bcast_rows(weights, row, ZEROS, i, 0);
        regs.commit().pack_tile(0, full);
    }
}

/// Adds up the squares of the tiles of a row: the first page gets those of the last tile, of which not all columns may count, the second the sum of all others
/// where there are others.
#[ttl::device]
pub fn sum_of_squares<T: Element, E: Element>(compute: Compute, row: &Front<T>, squares: &CbOut<E>, tiles: u32) {
    let last = tiles - 1;
    let mut out = squares.reserve_back(2);
    let mut regs = compute.acquire();
    for i in 0..last {
        regs.mul_tiles(row, row, i, i, 1);
    }
    regs.mul_tiles(row, row, last, last, 0);
    let mut done = regs.commit();
    done.pack_tile(0, &mut out);
    if last > 0 {
        done.pack_tile(1, &mut out);
    }
}

/// `1 / sqrt(sum * share + epsilon)` of the sums of squares of each row, in column 0.
#[ttl::device]
pub fn one_over_root<E: Element>(
    compute: Compute,
    squares: &CbIn<E>,
    scale: &CbOut<E>,
    weights: &Front<bf16>,
    tiles: u32,
    share: f32,
    epsilon: f32,
) {
    let squares = squares.wait_front(2);
    let mut out = scale.reserve_back(1);
    let mut regs = compute.acquire();
    regs.reduce_sum_row(&squares, weights, 0, LAST, 0);
    if tiles > 1 {
        regs.reduce_sum_row(&squares, weights, 1, ALL, 0);
    }
    regs.mul_unary_tile(0, share);
    regs.add_unary_tile(0, epsilon);
    regs.rsqrt_tile(0);
    regs.commit().pack_tile(0, &mut out);
}
