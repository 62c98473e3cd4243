//! Changes of layout on the device: a row-major tensor to tiles and back, bf16 or f32, of any shape.
//!
//! Every bit arrives; tiles are padded with zeros, and what is in the padding of tiles does not come into rows. A block of work is 32 rows and a
//! number of tiles side by side: for [`program`] up to [`WIDTH`], for [`untilize_program`] up to as many as there are tile registers (8 of bf16, 4 of
//! f32). L1 per core: `4 * width` tiles, half of them rows.
//!
//! A row of any length goes through, also one that is larger than L1. f32 goes to the registers with all its bits (`UnpackToDestFp32`).
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::tilize;
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! let rows = device.upload_row_major::<bf16>("rows", &HostTensor::normal([45, 100], 1)?, MemoryConfig::Dram)?;
//! let tiles = device.zeros::<bf16>("tiles", rows.shape())?;
//! let program = tilize::program(&device.grid(), &rows, &tiles)?.validate(&device)?;
//! device.run(&program)?;
//! assert_eq!(device.download(&tiles)?, device.download(&rows)?);
//! # Ok(())
//! # }
//! ```

use crate::exact::Exact;
use crate::row_blocks::{self, RowBlocks, clear_padding};
use crate::split::split;
use ttl::prelude::*;

/// The largest number of tiles of a block side by side.
pub const WIDTH: u32 = 32;

/// Brings blocks of rows.
#[ttl::kernel(reader)]
pub fn read_rows<T: Element>(
    noc: Noc,
    x: TensorAccessor<T>,
    rows_out: CbOut<T>,
    #[ttl(common)] blocks: RowBlocks,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let block = blocks.nth(number);
        let mut rows = rows_out.reserve_back(blocks.width);
        let mut reads = noc.read_into(&mut rows);
        for i in 0..block.rows {
            reads.page_at(&x, block.row + i, block.begin, i * blocks.stride(), block.bytes);
        }
        reads.wait();
        clear_padding(&noc, rows.get_write_ptr(), blocks, block);
    }
}

fn same_shape<T: Element>(kernel: &str, x: &Tensor<T>, y: &Tensor<T>) -> ttl::Result<()> {
    if x.shape() == y.shape() {
        return Ok(());
    }
    Err(ttl::Error::Other(format!("{kernel} of {:?} into {:?}: the shapes must be equal", x.shape(), y.shape())))
}

/// Row-major `x` to tiles `y` of the same shape, over the cores of `grid`.
pub fn program<T: Exact>(grid: &CoreSet, x: &Tensor<T>, y: &Tensor<T>) -> ttl::Result<Program> {
    same_shape("tilize", x, y)?;
    row_blocks::in_rows("tilize", "x", x)?;
    row_blocks::in_tiles("tilize", "y", y)?;
    let blocks = RowBlocks::of(x, WIDTH, grid);
    let split = split(blocks.total(x.spec().tiles().batch as u32), grid);
    let (cores, width) = (&split.cores, blocks.width);
    let (first, count) = (|| split.first(), || split.count());
    let mut p = Program::new("tilize");
    let (rows_out, rows_in) = p.circular_buffer::<T>("rows", cores, 2 * width);
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, 2 * width);
    p.kernel(cores, read_rows { x: x.accessor(), rows_out, blocks, first: first(), count: count() });
    let input = rows_in.clone();
    T::compute(&mut p, cores, &input, row_blocks::rows_to_tiles { rows_in, y_out, width, count: count() });
    p.kernel(cores, row_blocks::write_tiles { y: y.accessor(), y_in, blocks, first: first(), count: count() });
    Ok(p)
}

/// Tiles `x` to row-major `y` of the same shape, over the cores of `grid`.
pub fn untilize_program<T: Exact>(grid: &CoreSet, x: &Tensor<T>, y: &Tensor<T>) -> ttl::Result<Program> {
    same_shape("untilize", x, y)?;
    row_blocks::in_tiles("untilize", "x", x)?;
    row_blocks::in_rows("untilize", "y", y)?;
    // A block fits the registers.
    let blocks = RowBlocks::of(x, 16 / T::BYTES, grid);
    let split = split(blocks.total(x.spec().tiles().batch as u32), grid);
    let (cores, width) = (&split.cores, blocks.width);
    let (first, count) = (|| split.first(), || split.count());
    let mut p = Program::new("untilize");
    let (x_out, x_in) = p.circular_buffer::<T>("x", cores, 2 * width);
    let (rows_out, rows_in) = p.circular_buffer::<T>("rows", cores, 2 * width);
    p.kernel(cores, row_blocks::read_tiles { x: x.accessor(), x_out, blocks, first: first(), count: count() });
    let input = x_in.clone();
    // The number of tiles is a constant of the packer's call.
    macro_rules! of_width {
        ($($w:literal),*) => {
            match width {
                $($w => T::compute(&mut p, cores, &input, row_blocks::tiles_to_rows::<T, $w> { x_in, rows_out, count: count() }),)*
                _ => T::compute(&mut p, cores, &input, row_blocks::tiles_to_rows::<T, 1> { x_in, rows_out, count: count() }),
            }
        };
    }
    of_width!(2, 3, 4, 5, 6, 7, 8);
    p.kernel(cores, row_blocks::write_rows { y: y.accessor(), rows_in, blocks, first: first(), count: count() });
    Ok(p)
}
