//! Sum, mean, largest and smallest along the last dimension, the last but one, or both.
//!
//! | [`Axis`] | `x` | `y` |
//! |---|---|---|
//! | `Last` | `[.., m, n]` | `[.., m, 1]` |
//! | `SecondLast` | `[.., m, n]` | `[.., 1, n]` |
//! | `Both` | `[.., m, n]` | `[.., 1, 1]` |
//!
//! `x` and `y` in tiles, of bf16 or f32 each, of any sizes, on any cores: a result tile is the work of one core, and what it is made of comes to it
//! [`BLOCK`] tiles at a time. L1 per core: `2 * BLOCK` tiles of `x`, 2 of `y`, and one more for sums, whatever the sizes.
//!
//! The reader overwrites the padding of edge tiles with what does not matter: 0 for sums, an infinity for the others. So a mean divides by the true length,
//! and a maximum of negative numbers is negative. The writer puts zeros around the results.
//!
//! Numerics: tiles of bf16 are added up in a register by the matrix unit, one call each: it multiplies them by ones. Tiles of f32 would lose bits there, so
//! the packer adds those up, in L1. The vector unit then adds along the rows or columns of the sum. With 32-bit registers all of it is a sum in f32; with 16-bit
//! registers the matrix unit rounds the sum to bf16 twice per tile, f32 is cut to bf16 before and after it is added up, and the vector unit cuts its results.
//! The products are exact from HiFi2 on. A mean is the sum times 1/length in f32. Largest and smallest are exact, with 32-bit registers for f32 too.
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::reduce::{self, Axis, Reduction};
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! let x = device.upload::<bf16>("x", &HostTensor::from_fn([2, 40, 70], |i| (i % 70) as f32)?)?;
//! let y = device.zeros::<bf16>("y", &[2, 40, 1])?;
//! let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
//! let program = reduce::program(&device.grid(), config, Reduction::Mean, Axis::Last, &x, &y)?;
//! let program = program.validate(&device)?;
//! device.run(&program)?;
//! assert_eq!(device.download(&y)?.get(0), Some(34.5));
//! # Ok(())
//! # }
//! ```

use crate::exact::Exact;
use crate::row_blocks::in_tiles;
use crate::split::split;
use crate::tiles::pad_tile;
use ttl::prelude::*;

/// Tiles that are brought at a time.
pub const BLOCK: u32 = 4;

/// What is made of the numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// The sum.
    Sum,
    /// The sum by the number of elements.
    Mean,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// Which dimensions become 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// The last one: rows become numbers.
    Last,
    /// The last but one: columns become numbers.
    SecondLast,
    /// Both: matrices become numbers.
    Both,
}

/// The tiles that become one tile, for each result tile. Sizes in tiles but for `last_row` and `last_col`.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walk {
    /// Tiles of a matrix, and of one of its rows.
    pub matrix: u32,
    /// Tiles of a row of tiles.
    pub cols: u32,
    /// Rows of the last row of tiles, columns of the last column.
    pub last_row: u32,
    /// Columns of the last column of tiles.
    pub last_col: u32,
    /// Results of a matrix, and from one result's first tile to the next one's.
    pub results: u32,
    /// From one result's first tile to the next one's.
    pub apart: u32,
    /// Tiles of a result, and from one to the next.
    pub steps: u32,
    /// From one tile of a result to the next.
    pub stride: u32,
}

#[ttl::device]
impl Walk {
    /// Tile `step` of result `result`.
    pub fn tile(&self, result: u32, step: u32) -> u32 {
        result / self.results * self.matrix + result % self.results * self.apart + step * self.stride
    }

    /// Rows of a tile.
    pub fn rows_of(&self, tile: u32) -> u32 {
        if tile % self.matrix / self.cols == self.matrix / self.cols - 1 { self.last_row } else { 32 }
    }

    /// Columns of a tile.
    pub fn cols_of(&self, tile: u32) -> u32 {
        if tile % self.cols == self.cols - 1 { self.last_col } else { 32 }
    }
}

/// Brings the tiles of results, with the word `neutral` in their padding.
#[ttl::device]
fn bring<T: Element>(
    noc: &Noc,
    x: &TensorAccessor<T>,
    x_out: &CbOut<T>,
    walk: Walk,
    neutral: u32,
    first: u32,
    count: u32,
) {
    for result in first..first + count {
        for begin in (0..walk.steps).step_by(BLOCK as usize) {
            let here = (walk.steps - begin).min(BLOCK);
            let mut tiles = x_out.reserve_back(BLOCK);
            let mut reads = noc.read_into(&mut tiles);
            for i in 0..here {
                reads.page(x, walk.tile(result, begin + i), i);
            }
            reads.wait();
            for i in 0..here {
                let tile = walk.tile(result, begin + i);
                let (rows, cols) = (walk.rows_of(tile), walk.cols_of(tile));
                let bytes = x_out.get_tile_size();
                pad_tile(noc, tiles.get_write_ptr() + i * bytes, bytes / 1024, rows, cols, neutral);
            }
        }
    }
}

/// Brings the tiles of results.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // what to read, and the share of the work
pub fn read<T: Element>(
    noc: Noc,
    x: TensorAccessor<T>,
    x_out: CbOut<T>,
    #[ttl(common)] walk: Walk,
    #[ttl(common)] neutral: u32,
    first: u32,
    count: u32,
) {
    bring(&noc, &x, &x_out, walk, neutral, first, count);
}

/// Brings a tile of ones, then the tiles of sums.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // what to read, and the share of the work
pub fn read_with_ones<T: Element>(
    noc: Noc,
    x: TensorAccessor<T>,
    x_out: CbOut<T>,
    ones_out: CbOut<bf16>,
    #[ttl(common)] walk: Walk,
    first: u32,
    count: u32,
) {
    {
        let mut ones = ones_out.reserve_back(1);
        for word in 0..512 {
            ones.write_u32(word, 0x3f80_3f80);
        }
    }
    bring(&noc, &x, &x_out, walk, 0, first, count);
}

/// Largest and smallest: tiles are put together in register 0, then the rows or columns of that.
macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident: $put_together:ident, $($within:ident),+;)*) => {$(
        $(#[$doc])*
        #[ttl::kernel(compute)]
        pub fn $name<T: Element, Y: Element>(
            compute: Compute,
            x_in: CbIn<T>,
            y_out: CbOut<Y>,
            #[ttl(common)] steps: u32,
            #[ttl(common)] factor: f32,
            count: u32,
        ) {
            for _ in 0..count {
                let mut y = y_out.reserve_back(1);
                let mut regs = compute.acquire();
                for begin in (0..steps).step_by(BLOCK as usize) {
                    let x = x_in.wait_front(BLOCK);
                    for i in 0..(steps - begin).min(BLOCK) {
                        if begin + i == 0 {
                            regs.copy_tile(&x, 0, 0);
                        } else {
                            regs.copy_tile(&x, i, 1);
                            regs.$put_together(0, 1, 0);
                        }
                    }
                }
                $(regs.$within(0);)+
                regs.mul_unary_tile(0, factor);
                regs.commit().pack_tile(0, &mut y);
            }
        }
    )*};
}

reductions! {
    /// The largest of each row, times a factor.
    max_last: binary_max_tile, sfpu_reduce_max_row;
    /// The largest of each column, times a factor.
    max_second_last: binary_max_tile, sfpu_reduce_max_col;
    /// The largest of each matrix, times a factor.
    max_both: binary_max_tile, sfpu_reduce_max_row, sfpu_reduce_max_col;
    /// The smallest of each row, times a factor.
    min_last: binary_min_tile, sfpu_reduce_min_row;
    /// The smallest of each column, times a factor.
    min_second_last: binary_min_tile, sfpu_reduce_min_col;
    /// The smallest of each matrix, times a factor.
    min_both: binary_min_tile, sfpu_reduce_min_row, sfpu_reduce_min_col;
}

/// Sums of bf16: the matrix unit adds each tile times one to register 0; then the rows or columns of that.
macro_rules! sums {
    ($($(#[$doc:meta])* $name:ident: $($within:ident),+;)*) => {$(
        $(#[$doc])*
        #[ttl::kernel(compute)]
        pub fn $name<T: Element, Y: Element>(
            compute: Compute,
            x_in: CbIn<T>,
            ones_in: CbIn<bf16>,
            y_out: CbOut<Y>,
            #[ttl(common)] steps: u32,
            #[ttl(common)] factor: f32,
            count: u32,
        ) {
            let ones = ones_in.wait_front(1);
            for _ in 0..count {
                let mut y = y_out.reserve_back(1);
                let mut regs = compute.acquire();
                for begin in (0..steps).step_by(BLOCK as usize) {
                    let x = x_in.wait_front(BLOCK);
                    for i in 0..(steps - begin).min(BLOCK) {
                        regs.mul_tiles(&x, &ones, i, 0, 0);
                    }
                }
                $(regs.$within(0);)+
                regs.mul_unary_tile(0, factor);
                regs.commit().pack_tile(0, &mut y);
            }
        }
    )*};
}

sums! {
    /// Sums of rows of bf16, times a factor.
    sum_last: sfpu_reduce_sum_row;
    /// Sums of columns of bf16, times a factor.
    sum_second_last: sfpu_reduce_sum_col;
    /// Sums of matrices of bf16, times a factor.
    sum_both: sfpu_reduce_sum_row, sfpu_reduce_sum_col;
}

/// Sums of f32: the packer adds each tile to one in L1; then the rows or columns of that.
macro_rules! full_sums {
    ($($(#[$doc:meta])* $name:ident: $($within:ident),+;)*) => {$(
        $(#[$doc])*
        #[ttl::kernel(compute)]
        #[allow(clippy::too_many_arguments)] // both ends of the sum
        pub fn $name<T: Element, Y: Element>(
            compute: Compute,
            x_in: CbIn<T>,
            sum_out: CbOut<T>,
            sum_in: CbIn<T>,
            y_out: CbOut<Y>,
            #[ttl(common)] steps: u32,
            #[ttl(common)] factor: f32,
            count: u32,
        ) {
            for _ in 0..count {
                add_up(compute, &x_in, &sum_out, steps);
                let sum = sum_in.wait_front(1);
                let mut y = y_out.reserve_back(1);
                let mut regs = compute.acquire();
                regs.copy_tile(&sum, 0, 0);
                $(regs.$within(0);)+
                regs.mul_unary_tile(0, factor);
                regs.commit().pack_tile(0, &mut y);
            }
        }
    )*};
}

/// The sum of `steps` tiles, in L1.
#[ttl::device]
fn add_up<T: Element>(compute: Compute, x_in: &CbIn<T>, sum_out: &CbOut<T>, steps: u32) {
    let mut sum = sum_out.reserve_back(1);
    for begin in (0..steps).step_by(BLOCK as usize) {
        let here = (steps - begin).min(BLOCK);
        let x = x_in.wait_front(BLOCK);
        let mut regs = compute.acquire();
        regs.copy_block(&x, 0, 0, here);
        let mut done = regs.commit();
        if begin == 0 {
            done.pack_tile_at(0, &mut sum, 0);
        } else {
            done.pack_tile_l1_acc(0, &mut sum, 0);
        }
        for i in 1..here {
            done.pack_tile_l1_acc(i, &mut sum, 0);
        }
    }
}

full_sums! {
    /// Sums of rows of f32, times a factor.
    full_sum_last: sfpu_reduce_sum_row;
    /// Sums of columns of f32, times a factor.
    full_sum_second_last: sfpu_reduce_sum_col;
    /// Sums of matrices of f32, times a factor.
    full_sum_both: sfpu_reduce_sum_row, sfpu_reduce_sum_col;
}

/// Writes results, with zeros around them.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // sizes
pub fn write<Y: Element>(
    noc: Noc,
    y: TensorAccessor<Y>,
    y_in: CbIn<Y>,
    #[ttl(common)] walk: Walk,
    #[ttl(common)] keeps_rows: bool,
    #[ttl(common)] keeps_cols: bool,
    first: u32,
    count: u32,
) {
    for result in first..first + count {
        let tile = y_in.wait_front(1);
        let from = walk.tile(result, 0);
        let rows = if keeps_rows { walk.rows_of(from) } else { 1 };
        let cols = if keeps_cols { walk.cols_of(from) } else { 1 };
        pad_tile(&noc, tile.get_read_ptr(), y_in.get_tile_size() / 1024, rows, cols, 0);
        noc.write_page(&y, result, &tile).flushed();
    }
}

/// `y` is `x` reduced, over the cores of `grid`.
pub fn program<T: Exact, Y: Exact>(
    grid: &CoreSet,
    config: ComputeConfig,
    reduction: Reduction,
    axis: Axis,
    x: &Tensor<T>,
    y: &Tensor<Y>,
) -> ttl::Result<Program> {
    in_tiles("reduce", "x", x)?;
    in_tiles("reduce", "y", y)?;
    let shape = x.spec().tiles();
    let mut expected = x.shape().to_vec();
    if expected.len() == 1 {
        expected.insert(0, 1);
    }
    let last = expected.len() - 1;
    for (at, reduced) in [(last, axis != Axis::SecondLast), (last - 1, axis != Axis::Last)] {
        if reduced {
            expected[at] = 1;
        }
    }
    if y.shape() != expected {
        return Err(ttl::Error::Other(format!(
            "reduce: {reduction:?} of {:?} along {axis:?} is {expected:?}, and `y` has shape {:?}",
            x.shape(),
            y.shape()
        )));
    }
    let (rows, cols) = (shape.tile_rows() as u32, shape.tile_cols() as u32);
    let (results, apart, steps, stride, length) = match axis {
        Axis::Last => (rows, cols, cols, 1, shape.cols),
        Axis::SecondLast => (cols, 1, rows, cols, shape.rows),
        Axis::Both => (1, 0, rows * cols, 1, shape.rows * shape.cols),
    };
    let walk = Walk {
        matrix: rows * cols,
        cols,
        last_row: (shape.rows as u32 - 1) % 32 + 1,
        last_col: (shape.cols as u32 - 1) % 32 + 1,
        results,
        apart,
        steps,
        stride,
    };
    let factor = if reduction == Reduction::Mean { 1.0 / length as f32 } else { 1.0 };
    let neutral = T::word(match reduction {
        Reduction::Sum | Reduction::Mean => 0.0,
        Reduction::Max => f32::NEG_INFINITY,
        Reduction::Min => f32::INFINITY,
    });
    let split = split(shape.batch as u32 * results, grid);
    let cores = &split.cores;
    let (first, count) = (|| split.first(), || split.count());
    let mut p = Program::new("reduce");
    let (x_out, x_in) = p.circular_buffer::<T>("x", cores, 2 * BLOCK);
    let (y_out, y_in) = p.circular_buffer::<Y>("y", cores, 2);
    macro_rules! extreme {
        ($kernel:ident) => {{
            p.kernel(cores, read { x: x.accessor(), x_out, walk, neutral, first: first(), count: count() });
            let input = x_in.clone();
            let kernel = $kernel::<T, Y> { x_in, y_out, steps, factor, count: count() };
            T::compute_with(&mut p, cores, config, &[&input], kernel);
        }};
    }
    macro_rules! sum {
        ($kernel:ident, $full:ident) => {
            if T::BYTES == 2 {
                let (ones_out, ones_in) = p.circular_buffer::<bf16>("ones", cores, 1);
                let reader = read_with_ones { x: x.accessor(), x_out, ones_out, walk, first: first(), count: count() };
                p.kernel(cores, reader);
                p.compute(cores, config, $kernel::<T, Y> { x_in, ones_in, y_out, steps, factor, count: count() });
            } else {
                let (sum_out, sum_in) = p.circular_buffer::<T>("sum", cores, 1);
                p.kernel(cores, read { x: x.accessor(), x_out, walk, neutral, first: first(), count: count() });
                let inputs = [x_in.clone(), sum_in.clone()];
                let kernel = $full::<T, Y> { x_in, sum_out, sum_in, y_out, steps, factor, count: count() };
                T::compute_with(&mut p, cores, config, &[&inputs[0], &inputs[1]], kernel);
            }
        };
    }
    match (reduction, axis) {
        (Reduction::Sum | Reduction::Mean, Axis::Last) => sum!(sum_last, full_sum_last),
        (Reduction::Sum | Reduction::Mean, Axis::SecondLast) => sum!(sum_second_last, full_sum_second_last),
        (Reduction::Sum | Reduction::Mean, Axis::Both) => sum!(sum_both, full_sum_both),
        (Reduction::Max, Axis::Last) => extreme!(max_last),
        (Reduction::Max, Axis::SecondLast) => extreme!(max_second_last),
        (Reduction::Max, Axis::Both) => extreme!(max_both),
        (Reduction::Min, Axis::Last) => extreme!(min_last),
        (Reduction::Min, Axis::SecondLast) => extreme!(min_second_last),
        (Reduction::Min, Axis::Both) => extreme!(min_both),
    }
    let (keeps_rows, keeps_cols) = (axis == Axis::Last, axis == Axis::SecondLast);
    p.kernel(cores, write { y: y.accessor(), y_in, walk, keeps_rows, keeps_cols, first: first(), count: count() });
    Ok(p)
}
