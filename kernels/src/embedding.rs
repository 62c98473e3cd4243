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
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::embedding;
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! let ids = device.upload_row_major::<u32>("ids", &HostTensor::from_vec([1, 3], vec![7u32, 0, 7])?, MemoryConfig::Dram)?;
//! let table = device.upload_row_major::<bf16>("table", &HostTensor::normal([10, 64], 1)?, MemoryConfig::Dram)?;
//! let y = device.zeros::<bf16>("y", &[1, 3, 64])?;
//! let program = embedding::program(&device.grid(), &ids, &table, &y)?.validate(&device)?;
//! device.run(&program)?;
//! assert_eq!(device.download(&y)?.get(5), device.download(&table)?.get(7 * 64 + 5));
//! # Ok(())
//! # }
//! ```

use crate::exact::Exact;
use crate::row_blocks::{self, RowBlocks, clear_padding};
use crate::split::{Split, split};
use ttl::prelude::*;

/// The largest number of tiles of a block side by side.
pub const WIDTH: u32 = 32;

/// Brings the ids of a block, and its part of their rows.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers and the share of the work
pub fn read<T: Element>(
    noc: Noc,
    ids: TensorAccessor<u32>,
    table: TensorAccessor<T>,
    ids_out: CbOut<u32>,
    ids_in: CbIn<u32>,
    rows_out: CbOut<T>,
    #[ttl(common)] blocks: RowBlocks,
    #[ttl(common)] vocabulary: u32,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let block = blocks.nth(number);
        let mut words = ids_out.reserve_back(1);
        noc.read_page_at(&ids, block.matrix, block.start * 4, &mut words, 0, block.rows * 4).wait();
        words.push_back();
        let words = ids_in.wait_front(1);
        let mut rows = rows_out.reserve_back(blocks.width);
        let mut reads = noc.read_into(&mut rows);
        for i in 0..block.rows {
            let id = words.read_u32(i);
            assert!(
                id < vocabulary,
                "id {} at place {} of row {} of the ids: the table has {} rows",
                id,
                block.start + i,
                block.matrix,
                vocabulary
            );
            reads.page_at(&table, id, block.begin, i * blocks.stride(), block.bytes);
        }
        reads.wait();
        clear_padding(&noc, rows.get_write_ptr(), blocks, block);
    }
}

/// `y = table[ids]` in tiles, over the cores of `grid`.
pub fn program<T: Exact>(grid: &CoreSet, ids: &Tensor<u32>, table: &Tensor<T>, y: &Tensor<T>) -> ttl::Result<Program> {
    row_blocks::in_tiles("embedding", "y", y)?;
    let (mut p, split, blocks, rows_in) = reader(grid, ids, table, y)?;
    let (cores, width) = (&split.cores, blocks.width);
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, 2 * width);
    let input = rows_in.clone();
    T::compute(&mut p, cores, &input, row_blocks::rows_to_tiles { rows_in, y_out, width, count: split.count() });
    let (first, count) = (split.first(), split.count());
    p.kernel(cores, row_blocks::write_tiles { y: y.accessor(), y_in, blocks, first, count });
    Ok(p)
}

/// `y = table[ids]` in rows, over the cores of `grid`.
pub fn rows_program<T: Exact>(
    grid: &CoreSet,
    ids: &Tensor<u32>,
    table: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<Program> {
    row_blocks::in_rows("embedding", "y", y)?;
    let (mut p, split, blocks, rows_in) = reader(grid, ids, table, y)?;
    let (first, count) = (split.first(), split.count());
    p.kernel(&split.cores, row_blocks::write_rows { y: y.accessor(), rows_in, blocks, first, count });
    Ok(p)
}

/// The program so far: what both forms share.
fn reader<T: Exact>(
    grid: &CoreSet,
    ids: &Tensor<u32>,
    table: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<(Program, Split, RowBlocks, Consumer<T>)> {
    row_blocks::in_rows("embedding", "ids", ids)?;
    row_blocks::in_rows("embedding", "table", table)?;
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
    let blocks = RowBlocks::of(y, WIDTH, grid);
    let split = split(blocks.total(ids.pages()), grid);
    let cores = &split.cores;
    let mut p = Program::new("embedding");
    let (ids_out, ids_in) = p.circular_buffer_of_rows::<u32>("ids", cores, 1, 32);
    let (rows_out, rows_in) = p.circular_buffer::<T>("rows", cores, 2 * blocks.width);
    let (ids, table, vocabulary) = (ids.accessor(), table.accessor(), vocabulary as u32);
    let (first, count) = (split.first(), split.count());
    p.kernel(cores, read { ids, table, ids_out, ids_in, rows_out, blocks, vocabulary, first, count });
    Ok((p, split, blocks, rows_in))
}
