//! Normalisation of each row by its root mean square: `y = x / sqrt(mean of x^2 + epsilon) * gamma`. `gamma` is a row and can be left out.
//!
//! **Shapes.** `x` and `y` are equal, of any number of dimensions and any width; `gamma` has the width of a row and one row. Elements are bf16 or f32.
//!
//! **Forms.** A row that fits L1 is read once. A larger one goes through L1 twice in blocks of a few tiles: for the sum of its squares, which stays in the tile registers while
//! the blocks pass, and for the result. [`RowOptions`] chooses.
//!
//! **Numerics.** With `fp32_dest_acc` the sum of squares is f32; it and its root are read as tf32 (11 bits) by the matrix unit: a result is off by about 2 * 2^-10 of
//! itself beside its rounding. With 16-bit registers each tile of a row rounds the sum of squares to bf16, four times at `HiFi4`: for rows of a few tiles.
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::rmsnorm::{self, RmsNorm};
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! let x = device.upload::<bf16>("x", &HostTensor::normal([70, 384], 1)?)?;
//! let gamma = device.upload::<bf16>("gamma", &HostTensor::normal([384], 2)?)?;
//! let y = device.zeros::<bf16>("y", x.shape())?;
//! let norm = RmsNorm { x: &x, gamma: Some(&gamma), epsilon: 1e-6, y: &y };
//! let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
//! let program = rmsnorm::program(&device.grid(), config, &norm)?.validate(&device)?;
//! device.run(&program)?;
//! # Ok(())
//! # }
//! ```

mod in_l1;
mod through_l1;

pub use in_l1::whole;
pub use through_l1::in_blocks;

use crate::rows::{self, Cut, Fit, RowOptions, Source, SourceHost, WEIGHTS};
use crate::split::split;
use ttl::prelude::*;

/// What is normalised.
#[derive(Clone, Copy, Debug)]
pub struct RmsNorm<'a, T: Element> {
    /// What is normalised, row by row.
    pub x: &'a Tensor<T>,
    /// The factor of each column.
    pub gamma: Option<&'a Tensor<T>>,
    /// Added to the mean square.
    pub epsilon: f32,
    /// The result, of the shape of `x`.
    pub y: &'a Tensor<T>,
}

/// What kernels know of a normalisation.
#[ttl::device]
#[derive(Clone, Copy, Debug)]
pub struct Norm {
    /// How rows are cut into blocks.
    pub cut: Cut,
    /// How `gamma` is read where rows are whole.
    pub rows: Cut,
    /// Pages of `gamma` that a row or block of the result needs; 0 without it.
    pub gamma: u32,
    /// One over the number of elements of a row.
    pub share: f32,
    /// Added to the mean square.
    pub epsilon: f32,
}

/// What the compute kernels keep between their steps: both ends of each buffer.
#[ttl::device]
#[derive(Debug)]
pub struct Steps<E: Element> {
    /// Two tiles of sums of squares.
    pub squares_out: CbOut<E>,
    /// The other end.
    pub squares: CbIn<E>,
    /// One over the root.
    pub scale_out: CbOut<E>,
    /// The other end.
    pub scale: CbIn<E>,
    /// `gamma`, repeated down the rows.
    pub gamma_out: CbOut<E>,
    /// The other end.
    pub gamma: CbIn<E>,
}

/// Reads rows `passes` times; `gamma` once where rows are whole, else beside each block of the last pass.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors and their geometry
pub fn read<T: Element>(
    noc: Noc,
    x: Source<T>,
    gamma: Source<T>,
    weights: CbOut<bf16>,
    #[ttl(common)] norm: Norm,
    #[ttl(common)] passes: u32,
    first: u32,
    count: u32,
) {
    rows::write_weights(&weights, norm.cut.columns);
    if passes == 1 && norm.gamma > 0 {
        for at in 0..norm.rows.blocks {
            rows::read_part(noc, &gamma, norm.rows, 0, at, 0);
        }
    }
    for row in first..first + count {
        for pass in 0..passes {
            for at in 0..norm.cut.blocks {
                rows::read_part(noc, &x, norm.cut, row, at, 0);
                if pass > 0 && norm.gamma > 0 {
                    rows::read_part(noc, &gamma, norm.cut, 0, at, 0);
                }
            }
        }
    }
}

/// `y = rmsnorm(x)` over the cores of `grid`, as a row fits any chip whose L1 holds no tensors.
pub fn program<T: Element>(grid: &CoreSet, config: ComputeConfig, norm: &RmsNorm<'_, T>) -> ttl::Result<Program> {
    program_with(grid, config, &RowOptions::default(), norm)
}

/// `y = rmsnorm(x)` over the cores of `grid`.
pub fn program_with<T: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    options: &RowOptions,
    norm: &RmsNorm<'_, T>,
) -> ttl::Result<Program> {
    if config.fp32_dest_acc {
        build::<T, f32>(grid, config, options, norm)
    } else {
        build::<T, bf16>(grid, config, options, norm)
    }
}

fn build<T: Element, E: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    options: &RowOptions,
    of: &RmsNorm<'_, T>,
) -> ttl::Result<Program> {
    rows::same_shapes("rmsnorm", &[("x", of.x), ("y", of.y)])?;
    if let Some(gamma) = of.gamma {
        rows::is_row("rmsnorm", "gamma", gamma, of.x)?;
    }
    let gamma = u32::from(of.gamma.is_some());
    let (outer, inner) = (rows::tile::<T>(), rows::tile::<E>());
    let fit = Fit::of("rmsnorm", of.x, options, |block, depth| {
        let transfers = 2 * depth * block + rows::staged(block, gamma);
        let steps = (gamma * block).max(1) + 4;
        u64::from(transfers) * outer + u64::from(steps) * inner + u64::from(WEIGHTS) * 2048
    })?;
    let cut = fit.cut;
    let block = cut.block;
    let norm = Norm {
        cut,
        rows: rows::parts(cut.width, block),
        gamma: gamma * block,
        share: 1.0 / (of.x.shape().last().copied().unwrap_or(1) as f32),
        epsilon: of.epsilon,
    };
    let split = split(of.x.tile_rows(), grid);
    let cores = &split.cores;
    let mut p = Program::new("rmsnorm");
    let (x_out, x_in) = p.circular_buffer::<T>("x", cores, fit.depth * block);
    let (gamma_out, gamma_in) = p.circular_buffer::<T>("gamma", cores, rows::staged(block, gamma));
    let (weights_out, weights) = p.circular_buffer::<bf16>("weights", cores, WEIGHTS);
    let (squares_out, squares) = p.circular_buffer::<E>("squares", cores, 2);
    let (scale_out, scale) = p.circular_buffer::<E>("scale", cores, 2);
    let (full_gamma_out, full_gamma) = p.circular_buffer::<E>("gamma rows", cores, norm.gamma.max(1));
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, fit.depth * block);
    let steps = StepsHost { squares_out, squares, scale_out, scale, gamma_out: full_gamma_out, gamma: full_gamma };
    p.kernel(
        cores,
        read::<T> {
            x: SourceHost { tensor: of.x.accessor(), out: x_out },
            gamma: SourceHost { tensor: of.gamma.unwrap_or(of.x).accessor(), out: gamma_out },
            weights: weights_out,
            norm,
            passes: if fit.whole() { 1 } else { 2 },
            first: split.first(),
            count: split.count(),
        },
    );
    if fit.whole() {
        p.compute(cores, config, whole::<T, E> { x_in, gamma_in, weights, steps, y_out, norm, count: split.count() });
    } else {
        let kernel = in_blocks::<T, E> { x_in, gamma_in, weights, steps, y_out, norm, count: split.count() };
        p.compute(cores, config, kernel);
    }
    p.kernel(cores, rows::write::<T> { y: of.y.accessor(), y_in, cut, first: split.first(), count: split.count() });
    Ok(p)
}
