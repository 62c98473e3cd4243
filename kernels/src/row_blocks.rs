//! Rows of elements and tiles: the blocks in which row-major tensors become tiles and tiles become rows. For [`tilize`](crate::tilize) and
//! [`embedding`](crate::embedding).

use crate::exact::Exact;
use crate::pieces::{even_size, piece_at, pieces, read_piece, write_piece};
use ttl::prelude::*;
use ttl::runtime::tensor::TensorLayout;

/// A tensor `[.., rows, elements]` in blocks of 32 rows and up to `width` tiles of columns.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowBlocks {
    /// Rows of a matrix.
    pub rows: u32,
    /// Elements of a row.
    pub elements: u32,
    /// Bytes of an element.
    pub bytes: u32,
    /// Tiles above one another in a matrix.
    pub groups: u32,
    /// Tiles side by side.
    pub cols: u32,
    /// Tiles side by side in a block: in L1 each of its 32 rows has so many times 32 elements, used or not.
    pub width: u32,
    /// Blocks side by side.
    pub blocks: u32,
}

/// One block.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowBlock {
    /// The number of its matrix.
    pub matrix: u32,
    /// Its first row in the matrix.
    pub start: u32,
    /// Its first row in the tensor.
    pub row: u32,
    /// Its rows, up to 32.
    pub rows: u32,
    /// Its first tile in the tensor.
    pub tile: u32,
    /// Its tiles, up to `width`.
    pub tiles: u32,
    /// Where its part of a row begins, in bytes.
    pub begin: u32,
    /// Bytes of its part of a row.
    pub bytes: u32,
}

#[ttl::device]
impl RowBlocks {
    /// Block `number`: they count along the columns first.
    pub fn nth(&self, number: u32) -> RowBlock {
        let group = number / self.blocks;
        let (matrix, start) = (group / self.groups, group % self.groups * 32);
        let column = number % self.blocks * self.width;
        let tiles = piece_at(column, self.width, self.cols);
        RowBlock {
            matrix,
            start,
            row: matrix * self.rows + start,
            rows: piece_at(start, 32, self.rows),
            tile: group * self.cols + column,
            tiles,
            begin: column * 32 * self.bytes,
            bytes: piece_at(column * 32, tiles * 32, self.elements) * self.bytes,
        }
    }

    /// Bytes from one row of a block to the next in L1.
    pub fn stride(&self) -> u32 {
        self.width * 32 * self.bytes
    }
}

impl RowBlocks {
    /// For tensors `[.., rows, elements]`, in blocks that are at most `widest` tiles wide, as equal as they go, and narrower where there are more cores
    /// than blocks otherwise.
    pub fn new<T: Exact>(rows: u32, elements: u32, matrices: u32, widest: u32, cores: u32) -> RowBlocks {
        let (groups, cols) = (pieces(rows, 32), pieces(elements, 32));
        let each = (u64::from(matrices * groups) * u64::from(cols)).div_ceil(u64::from(cores.max(1)));
        let widest = widest.min(u32::try_from(each).unwrap_or(u32::MAX)).max(1);
        let width = even_size(cols, widest);
        RowBlocks { rows, elements, bytes: T::BYTES, groups, cols, width, blocks: pieces(cols, width) }
    }

    /// For a tensor, see [`RowBlocks::new`].
    pub fn of<T: Exact>(tensor: &Tensor<T>, widest: u32, grid: &CoreSet) -> RowBlocks {
        let shape = tensor.spec().tiles();
        RowBlocks::new::<T>(shape.rows as u32, shape.cols as u32, shape.batch as u32, widest, grid.len() as u32)
    }

    /// The blocks of so many matrices.
    pub fn total(&self, matrices: u32) -> u32 {
        matrices * self.groups * self.blocks
    }
}

/// Zeros where the block at L1 address `at` has tiles, but the tensor no elements.
#[ttl::device]
pub fn clear_padding(noc: &Noc, at: u32, blocks: RowBlocks, block: RowBlock) {
    let stride = blocks.stride();
    let halves = noc.raw().l1_u16(at);
    let words = noc.raw().l1_u32(at);
    for row in 0..block.rows {
        for half in block.bytes / 2..block.tiles * 16 * blocks.bytes {
            halves.write(row * stride / 2 + half, 0);
        }
    }
    for row in block.rows..32 {
        for word in 0..block.tiles * 8 * blocks.bytes {
            words.write(row * stride / 4 + word, 0);
        }
    }
}

/// Rows to tiles, `count` blocks.
#[ttl::kernel(compute)]
pub fn rows_to_tiles<T: Element>(
    compute: Compute,
    rows_in: CbIn<T>,
    y_out: CbOut<T>,
    #[ttl(common)] width: u32,
    count: u32,
) {
    for _ in 0..count {
        let rows = rows_in.wait_front(width);
        let mut y = y_out.reserve_back(width);
        compute.tilize_block(&rows, width, &mut y);
    }
}

/// Tiles to rows, `count` blocks of `W` tiles, as many as there are registers or fewer.
#[ttl::kernel(compute)]
pub fn tiles_to_rows<T: Element, const W: u32>(compute: Compute, x_in: CbIn<T>, rows_out: CbOut<T>, count: u32) {
    for _ in 0..count {
        let x = x_in.wait_front(W);
        let mut rows = rows_out.reserve_back(W);
        compute.pack_untilize_block(&x, W, &mut rows);
    }
}

/// The tiles of blocks from a tiled tensor.
#[ttl::kernel(reader)]
pub fn read_tiles<T: Element>(
    noc: Noc,
    x: TensorAccessor<T>,
    x_out: CbOut<T>,
    #[ttl(common)] blocks: RowBlocks,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let block = blocks.nth(number);
        let mut tiles = x_out.reserve_back(blocks.width);
        read_piece(noc, &x, &mut tiles, block.tile, block.tiles);
    }
}

/// The tiles of blocks to a tiled tensor.
#[ttl::kernel(writer)]
pub fn write_tiles<T: Element>(
    noc: Noc,
    y: TensorAccessor<T>,
    y_in: CbIn<T>,
    #[ttl(common)] blocks: RowBlocks,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let block = blocks.nth(number);
        write_piece(noc, &y, &y_in, blocks.width, block.tile, block.tiles);
    }
}

/// The rows of blocks to a row-major tensor.
#[ttl::kernel(writer)]
pub fn write_rows<T: Element>(
    noc: Noc,
    y: TensorAccessor<T>,
    rows_in: CbIn<T>,
    #[ttl(common)] blocks: RowBlocks,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let block = blocks.nth(number);
        let rows = rows_in.wait_front(blocks.width);
        let mut writes = noc.write_from(&rows);
        for i in 0..block.rows {
            writes.page_at(&y, block.row + i, block.begin, i * blocks.stride(), block.bytes);
        }
        writes.flushed();
    }
}

/// Whether a tensor is in tiles.
pub fn in_tiles<T: Element>(kernel: &str, name: &str, tensor: &Tensor<T>) -> ttl::Result<()> {
    if tensor.spec().layout() == TensorLayout::Tile {
        return Ok(());
    }
    Err(ttl::Error::Other(format!(
        "{kernel}: `{name}` must be in tiles, and is row-major; make it with `Device::upload` or `zeros`"
    )))
}

/// Whether a tensor is row-major and its pages are whole rows.
pub fn in_rows<T: Element>(kernel: &str, name: &str, tensor: &Tensor<T>) -> ttl::Result<()> {
    let (spec, shape) = (tensor.spec(), tensor.spec().tiles());
    if spec.layout() == TensorLayout::RowMajor && spec.pages() == shape.batch * shape.rows {
        return Ok(());
    }
    Err(ttl::Error::Other(format!(
        "{kernel}: `{name}` must be row-major, with whole rows as pages; make it with `Device::upload_row_major` or `zeros_row_major`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_every_tile_and_row_once() {
        for (rows, elements, matrices, widest, cores) in
            [(1, 1, 1, 8, 1), (45, 384, 2, 32, 6), (33, 100, 6, 32, 110), (64, 3232, 1, 8, 4), (32, 500_000, 1, 32, 1)]
        {
            let blocks = RowBlocks::new::<bf16>(rows, elements, matrices, widest, cores);
            assert!(blocks.width <= widest && blocks.width > 0, "{blocks:?}");
            let mut tiles = vec![0; (matrices * blocks.groups * blocks.cols) as usize];
            let mut bytes = 0;
            for number in 0..blocks.total(matrices) {
                let block = blocks.nth(number);
                for tile in block.tile..block.tile + block.tiles {
                    tiles[tile as usize] += 1;
                }
                bytes += block.bytes * block.rows;
                assert!(block.bytes <= blocks.stride() && block.row + block.rows <= rows * matrices);
            }
            assert!(tiles.iter().all(|n| *n == 1), "{blocks:?}");
            assert_eq!(bytes, rows * elements * matrices * 2, "{blocks:?}");
        }
    }
}
