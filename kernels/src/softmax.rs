//! Softmax and log-softmax of each row: `e^(x - max) / sum of e^(x - max)`, and the logarithm of that, `(x - max) - log(sum)`.
//!
//! **Shapes.** `x` and `y` are equal, of any number of dimensions and any width. Elements are bf16 or f32. What stands beside the last column is not seen.
//!
//! **Forms.** A row that fits L1 is read once: maximum, exponentials (which stay in L1), their sum, result. A larger one goes through L1 three times in blocks of a few
//! tiles: for the maximum and for the sum, which stay in the tile registers while the blocks pass, and for the result. [`RowOptions`] chooses.
//! [`program_of_width`] is the first form as a single block expression, for rows of a width that is known when the program is compiled.
//!
//! **Numerics.** With `fp32_dest_acc` exponentials and sums are f32; where the matrix unit reads them they have the 11 bits of its operands (tf32): a result of softmax is
//! off by about 3 * 2^-10 of itself beside its rounding, one of log-softmax by 2^-10 of the logarithm of the sum. With 16-bit registers each tile of a row rounds the sum to
//! bf16: for rows of a few tiles.
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::softmax;
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! let x = device.upload::<bf16>("x", &HostTensor::normal([3, 45, 100], 1)?)?;    // three matrices of 45 rows
//! let y = device.zeros::<bf16>("y", x.shape())?;
//! let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
//! let program = softmax::program(&device.grid(), config, &x, &y)?.validate(&device)?;
//! device.run(&program)?;
//! let row: f32 = device.download(&y)?.to_f32_vec()[..100].iter().sum();
//! assert!((row - 1.0).abs() < 0.01);
//! # Ok(())
//! # }
//! ```

mod in_l1;
mod one_expression;
mod through_l1;

pub use in_l1::whole;
pub use one_expression::{of_width, program_of_width};
pub use through_l1::in_blocks;

use crate::rows::{self, Fit, RowOptions, SourceHost};
use crate::split::split;
use ttl::prelude::*;

/// Which function of the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `e^x` by the sum of all.
    Softmax,
    /// The logarithm of that.
    LogSoftmax,
}

/// What the compute kernels keep between their steps: both ends of each buffer.
#[ttl::device]
#[derive(Debug)]
pub struct Steps<E: Element> {
    /// The largest element of each row, in column 0.
    pub max_out: CbOut<E>,
    /// The other end.
    pub max: CbIn<E>,
    /// Exponentials of a row; of one that goes by in blocks, their sums tile by tile.
    pub exp_out: CbOut<E>,
    /// The other end.
    pub exp: CbIn<E>,
    /// One over the sum, or its logarithm.
    pub sum_out: CbOut<E>,
    /// The other end.
    pub sum: CbIn<E>,
}

/// `y = softmax(x)` along the rows, over the cores of `grid`, as a row fits any chip whose L1 holds no tensors.
pub fn program<T: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    x: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<Program> {
    program_with(grid, config, &RowOptions::default(), Kind::Softmax, x, y)
}

/// `y = log(softmax(x))` along the rows, in the same way.
pub fn log_program<T: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    x: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<Program> {
    program_with(grid, config, &RowOptions::default(), Kind::LogSoftmax, x, y)
}

/// Either, with settings.
pub fn program_with<T: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    options: &RowOptions,
    kind: Kind,
    x: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<Program> {
    if config.fp32_dest_acc {
        build::<T, f32>(grid, config, options, kind, x, y)
    } else {
        build::<T, bf16>(grid, config, options, kind, x, y)
    }
}

fn build<T: Element, E: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    options: &RowOptions,
    kind: Kind,
    x: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<Program> {
    let name = match kind {
        Kind::Softmax => "softmax",
        Kind::LogSoftmax => "log-softmax",
    };
    rows::same_shapes(name, &[("x", x), ("y", y)])?;
    let (outer, inner) = (rows::tile::<T>(), rows::tile::<E>());
    let width = x.tile_cols();
    let fit = Fit::of(name, x, options, |block, depth| {
        // A row that is not whole keeps one tile of sums.
        let exp = if block == width { block } else { 1 };
        u64::from(2 * depth * block) * outer + u64::from(exp + 4) * inner + 2048
    })?;
    let (cut, whole) = (fit.cut, fit.whole());
    let split = split(x.tile_rows(), grid);
    let cores = &split.cores;
    let mut p = Program::new(name);
    let (x_out, x_in) = p.circular_buffer::<T>("x", cores, fit.depth * cut.block);
    let (max_out, max) = p.circular_buffer::<E>("max", cores, 2);
    let (exp_out, exp) = p.circular_buffer::<E>("exp", cores, if whole { width } else { 1 });
    let (sum_out, sum) = p.circular_buffer::<E>("sum", cores, 2);
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, fit.depth * cut.block);
    let steps = StepsHost { max_out, max, exp_out, exp, sum_out, sum };
    p.kernel(
        cores,
        rows::read::<T> {
            x: SourceHost { tensor: x.accessor(), out: x_out },
            cut,
            passes: if whole { 1 } else { 3 },
            padding: rows::lowest(T::FORMAT),
            first: split.first(),
            count: split.count(),
        },
    );
    let log = kind == Kind::LogSoftmax;
    if whole {
        p.compute(cores, config, in_l1::whole::<T, E> { x_in, steps, y_out, width, log, count: split.count() });
    } else {
        let (ones_out, ones) = p.circular_buffer::<bf16>("ones", cores, 1);
        let kernel = in_blocks::<T, E> { x_in, ones_out, ones, steps, y_out, cut, log, count: split.count() };
        p.compute(cores, config, kernel);
    }
    p.kernel(cores, rows::write::<T> { y: y.accessor(), y_in, cut, first: split.first(), count: split.count() });
    Ok(p)
}
