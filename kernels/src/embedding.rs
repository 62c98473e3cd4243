//! Embedding lookup: `y[.., i, :] = table[ids[.., i], :]`.
//!
//! | | shape | layout |
//! |---|---|---|
//! | `ids` | `[.., s]`, u32 | row-major |
//! | `table` | `[vocabulary, n]`, bf16 or f32 | row-major |
//! | `y` | `[.., s, n]` | tiles ([`program`]) or row-major ([`rows_program`]) |
//!
//! Any `s`, `n` and number of leading dimensions, on any cores. Nothing is computed: every bit of the table arrives, and the padding of tiles is zero.
//! An id that the table does not have ends the run with an error that names the id and the rows of the table (on a card, an assertion of the
//! watcher).
//!
//! A block of work is 32 ids and up to [`WIDTH`] tiles of columns: the reader fetches the ids (128 bytes), then that part of 32 rows of the
//! table, all under way together. For tiles the compute thread tilizes the block; for rows the writer takes it as it is. Wide rows and few ids are
//! divided among the cores by columns. L1 per core: `2 * width` tiles of rows, and as many of results where there are tiles; 256 KB of bf16 at
//! most.

use crate::exact::Exact;
use crate::split::{Split, split};
use ttl::prelude::*;
use ttl::runtime::tensor::TensorLayout;

/// The largest number of tiles of a block side by side.
pub const WIDTH: u32 = 32;

/// Sizes of a lookup, for the kernels.
#[ttl::device]
#[derive(Clone, Copy, Debug)]
pub struct Lookup {
    /// Ids in a row of `ids`.
    pub ids: u32,
    /// Rows of the table.
    pub vocabulary: u32,
    /// Elements of a row of the table.
    pub elements: u32,
    /// Bytes of an element.
    pub bytes: u32,
    /// Groups of 32 ids in a row of `ids`.
    pub groups: u32,
    /// Tiles of columns.
    pub cols: u32,
    /// Tiles of columns of a block.
    pub width: u32,
    /// Blocks side by side.
    pub blocks: u32,
}

/// A block of work: its row of ids, the first of its ids, how many, its first tile of columns, how many.
#[ttl::device]
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub line: u32,
    pub first: u32,
    pub count: u32,
    pub column: u32,
    pub width: u32,
}

#[ttl::device]
impl Lookup {
    /// Block `number`.
    pub fn work(&self, number: u32) -> Block {
        let group = number / self.blocks;
        let first = group % self.groups * 32;
        let column = number % self.blocks * self.width;
        Block {
            line: group / self.groups,
            first,
            count: (self.ids - first).min(32),
            column,
            width: (self.cols - column).min(self.width),
        }
    }
}

/// Brings the ids of a block, and its part of their rows: 32 rows of `width` tiles of elements, one behind the other, zero where there is nothing.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers and the share of the work
pub fn read<T: Element>(
    noc: Noc,
    ids: TensorAccessor<u32>,
    table: TensorAccessor<T>,
    ids_out: CbOut<u32>,
    ids_in: CbIn<u32>,
    rows_out: CbOut<T>,
    #[ttl(common)] lookup: Lookup,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let block = lookup.work(number);
        let mut words = ids_out.reserve_back(1);
        noc.read_page_at(&ids, block.line, block.first * 4, &mut words, 0, block.count * 4).wait();
        words.push_back();
        let words = ids_in.wait_front(1);
        let mut rows = rows_out.reserve_back(lookup.width);
        let row = block.width * 32 * lookup.bytes;
        let begin = block.column * 32 * lookup.bytes;
        let bytes = (lookup.elements * lookup.bytes - begin).min(row);
        let mut reads = noc.read_into(&mut rows);
        for i in 0..block.count {
            let id = words.read_u32(i);
            assert!(
                id < lookup.vocabulary,
                "id {} at place {} of row {} of the ids: the table has {} rows",
                id,
                block.first + i,
                block.line,
                lookup.vocabulary
            );
            reads.page_at(&table, id, begin, i * row, bytes);
        }
        reads.wait();
        let halves = noc.raw().l1_u16(rows.get_write_ptr());
        for i in 0..block.count {
            for at in bytes / 2..row / 2 {
                halves.write(i * row / 2 + at, 0);
            }
        }
        for word in block.count * row / 4..8 * row {
            rows.write_u32(word, 0);
        }
    }
}

/// Rows to tiles.
#[ttl::kernel(compute)]
pub fn tilize<T: Element>(
    compute: Compute,
    rows_in: CbIn<T>,
    y_out: CbOut<T>,
    #[ttl(common)] lookup: Lookup,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let block = lookup.work(number);
        let rows = rows_in.wait_front(lookup.width);
        let mut y = y_out.reserve_back(lookup.width);
        compute.tilize_block(&rows, block.width, &mut y);
    }
}

/// Tiles to a tiled tensor.
#[ttl::kernel(writer)]
pub fn write_tiles<T: Element>(
    noc: Noc,
    y: TensorAccessor<T>,
    y_in: CbIn<T>,
    #[ttl(common)] lookup: Lookup,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let block = lookup.work(number);
        let tiles = y_in.wait_front(lookup.width);
        let mut writes = noc.write_from(&tiles);
        for i in 0..block.width {
            writes.page(&y, number / lookup.blocks * lookup.cols + block.column + i, i);
        }
        writes.flushed();
    }
}

/// Parts of rows to a row-major tensor.
#[ttl::kernel(writer)]
pub fn write_rows<T: Element>(
    noc: Noc,
    y: TensorAccessor<T>,
    rows_in: CbIn<T>,
    #[ttl(common)] lookup: Lookup,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let block = lookup.work(number);
        let rows = rows_in.wait_front(lookup.width);
        let row = block.width * 32 * lookup.bytes;
        let begin = block.column * 32 * lookup.bytes;
        let bytes = (lookup.elements * lookup.bytes - begin).min(row);
        let mut writes = noc.write_from(&rows);
        for i in 0..block.count {
            writes.page_at(&y, block.line * lookup.ids + block.first + i, begin, i * row, bytes);
        }
        writes.flushed();
    }
}

/// `y = table[ids]` in tiles, over the cores of `grid`.
pub fn program<T: Exact>(grid: &CoreSet, ids: &Tensor<u32>, table: &Tensor<T>, y: &Tensor<T>) -> ttl::Result<Program> {
    let lookup = sizes(grid, ids, table, y, TensorLayout::Tile)?;
    let (mut p, split, rows_in) = reader(grid, ids, table, lookup);
    let cores = &split.cores;
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, 2 * lookup.width);
    let input = rows_in.clone();
    let kernel = tilize { rows_in, y_out, lookup, first: split.first(), count: split.count() };
    T::compute(&mut p, cores, &input, kernel);
    let (first, count) = (split.first(), split.count());
    p.kernel(cores, write_tiles { y: y.accessor(), y_in, lookup, first, count });
    Ok(p)
}

/// `y = table[ids]` in rows, over the cores of `grid`.
pub fn rows_program<T: Exact>(
    grid: &CoreSet,
    ids: &Tensor<u32>,
    table: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<Program> {
    let lookup = sizes(grid, ids, table, y, TensorLayout::RowMajor)?;
    let (mut p, split, rows_in) = reader(grid, ids, table, lookup);
    let (first, count) = (split.first(), split.count());
    p.kernel(&split.cores, write_rows { y: y.accessor(), rows_in, lookup, first, count });
    Ok(p)
}

/// The program so far: what both forms share.
fn reader<T: Exact>(
    grid: &CoreSet,
    ids: &Tensor<u32>,
    table: &Tensor<T>,
    lookup: Lookup,
) -> (Program, Split, Consumer<T>) {
    let split = split(ids.pages() * lookup.groups * lookup.blocks, grid);
    let cores = &split.cores;
    let mut p = Program::new("embedding");
    let (ids_out, ids_in) = p.circular_buffer_of_rows::<u32>("ids", cores, 1, 32);
    let (rows_out, rows_in) = p.circular_buffer::<T>("rows", cores, 2 * lookup.width);
    let (ids, table) = (ids.accessor(), table.accessor());
    let (first, count) = (split.first(), split.count());
    p.kernel(cores, read { ids, table, ids_out, ids_in, rows_out, lookup, first, count });
    (p, split, rows_in)
}

fn sizes<T: Exact>(
    grid: &CoreSet,
    ids: &Tensor<u32>,
    table: &Tensor<T>,
    y: &Tensor<T>,
    layout: TensorLayout,
) -> ttl::Result<Lookup> {
    for (name, spec, must) in [
        ("ids", ids.spec(), TensorLayout::RowMajor),
        ("table", table.spec(), TensorLayout::RowMajor),
        ("y", y.spec(), layout),
    ] {
        let rows = spec.tiles();
        if spec.layout() != must || must == TensorLayout::RowMajor && spec.pages() != rows.batch * rows.rows {
            let what = if must == TensorLayout::Tile { "in tiles" } else { "row-major, with whole rows as pages" };
            return Err(ttl::Error::Other(format!("embedding: `{name}` must be {what}; make it with {}", {
                if must == TensorLayout::Tile {
                    "`Device::zeros`"
                } else {
                    "`Device::upload_row_major` or `zeros_row_major`"
                }
            })));
        }
    }
    let &[vocabulary, elements] = table.shape() else {
        return Err(ttl::Error::Other(format!(
            "embedding: the table has shape {:?}, must have [rows, elements of a row]",
            table.shape()
        )));
    };
    let expected: Vec<usize> = ids.shape().iter().copied().chain([elements]).collect();
    if y.shape() != expected {
        return Err(ttl::Error::Other(format!(
            "embedding: `y` has shape {:?}; for ids of shape {:?} and rows of {elements} elements it must have {expected:?}",
            y.shape(),
            ids.shape()
        )));
    }
    let shape = ids.spec().tiles();
    let cols = elements.div_ceil(32) as u32;
    let groups = shape.cols.div_ceil(32) as u32;
    // As many blocks as there are cores, if there are as many tiles.
    let each = (ids.pages() * groups * cols).div_ceil(grid.len().max(1) as u32);
    let width = each.min(cols).min(WIDTH);
    Ok(Lookup {
        ids: shape.cols as u32,
        vocabulary: vocabulary as u32,
        elements: elements as u32,
        bytes: T::BYTES,
        groups,
        cols,
        width,
        blocks: cols.div_ceil(width),
    })
}
