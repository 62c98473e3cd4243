//! Layer normalisation of each row: `y = (s - mean(s)) / sqrt(var(s) + epsilon) * gamma + beta` with `s = x` or `s = x + residual`; `var` is the mean of the
//! squares of `s - mean(s)`. `gamma` and `beta` are rows, and any of the three can be left out.
//!
//! **Shapes.** `x`, `residual` and `y` are equal, of any number of dimensions and any width; `gamma` and `beta` have the width of a row and one row. Elements are
//! bf16 or f32.
//!
//! **Forms.** A row that fits L1 is read once: its mean, its centred elements, which stay in L1, and the mean of their squares, one after the other. A larger one goes
//! through L1 three times in blocks of a few tiles: for the mean; for the squares of what is centred, in the tile registers; for the result. The mean always comes
//! first, so nothing cancels. [`RowOptions`] chooses.
//!
//! **Numerics.** With `fp32_dest_acc` sums, variance and centred elements are f32; where the matrix unit reads them they have the 11 bits of its operands (tf32), so
//! that a result is off by about 2^-10 of itself, and by 2^-10 of the mean over the deviation, beside its rounding. With 16-bit registers each tile of a row rounds the
//! sums to bf16: for rows of a few tiles.
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::layernorm::{self, LayerNorm};
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! let x = device.upload::<bf16>("x", &HostTensor::normal([70, 384], 1)?)?;
//! let residual = device.upload::<bf16>("residual", &HostTensor::normal([70, 384], 2)?)?;
//! let gamma = device.upload::<bf16>("gamma", &HostTensor::normal([384], 3)?)?;
//! let y = device.zeros::<bf16>("y", x.shape())?;
//! let norm =
//!     LayerNorm { x: &x, residual: Some(&residual), gamma: Some(&gamma), beta: None, epsilon: 1e-12, y: &y };
//! let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
//! let program = layernorm::program(&device.grid(), config, &norm)?.validate(&device)?;
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
pub struct LayerNorm<'a, T: Element> {
    /// What is normalised, row by row.
    pub x: &'a Tensor<T>,
    /// Added to `x` first.
    pub residual: Option<&'a Tensor<T>>,
    /// The factor of each column.
    pub gamma: Option<&'a Tensor<T>>,
    /// What is added to each column.
    pub beta: Option<&'a Tensor<T>>,
    /// Added to the variance.
    pub epsilon: f32,
    /// The result, of the shape of `x`.
    pub y: &'a Tensor<T>,
}

/// What kernels know of a normalisation. Numbers of pages are zero where a tensor is left out.
#[ttl::device]
#[derive(Clone, Copy, Debug)]
pub struct Norm {
    /// How rows are cut into blocks.
    pub cut: Cut,
    /// How `gamma` and `beta` are read.
    pub rows: Cut,
    /// Pages of a block of `residual`.
    pub residual: u32,
    /// Pages of `gamma` and of `beta` that a row or block of the result needs.
    pub gamma: u32,
    /// Pages of `beta`.
    pub beta: u32,
    /// One over the number of elements of a row.
    pub share: f32,
    /// Added to the variance.
    pub epsilon: f32,
}

/// What the compute kernels read.
#[ttl::device]
#[derive(Debug)]
pub struct Inputs<T: Element> {
    /// What is normalised.
    pub x: CbIn<T>,
    /// What is added to it before.
    pub residual: CbIn<T>,
    /// Factors, one row.
    pub gamma: CbIn<T>,
    /// Summands, one row.
    pub beta: CbIn<T>,
    /// Three tiles of weights of sums: ones, ones in the columns that count of the last tile, zeros.
    pub weights: CbIn<bf16>,
}

/// What the compute kernels keep between their steps: both ends of each buffer.
#[ttl::device]
#[derive(Debug)]
pub struct Steps<E: Element> {
    /// The mean, in column 0.
    pub mean_out: CbOut<E>,
    /// The other end.
    pub mean: CbIn<E>,
    /// Elements less the mean.
    pub centred_out: CbOut<E>,
    /// The other end.
    pub centred: CbIn<E>,
    /// Two tiles of sums of squares.
    pub squares_out: CbOut<E>,
    /// The other end.
    pub squares: CbIn<E>,
    /// One over the deviation.
    pub scale_out: CbOut<E>,
    /// The other end.
    pub scale: CbIn<E>,
    /// `gamma` and `beta`, repeated down the rows.
    pub gamma_out: CbOut<E>,
    /// The other end.
    pub gamma: CbIn<E>,
    /// `beta`, repeated down the rows.
    pub beta_out: CbOut<E>,
    /// The other end.
    pub beta: CbIn<E>,
}

/// Reads rows `passes` times; `gamma` and `beta` once where rows are whole, else beside each block of the last pass.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // four tensors
pub fn read<T: Element>(
    noc: Noc,
    x: Source<T>,
    residual: Source<T>,
    gamma: Source<T>,
    beta: Source<T>,
    weights: CbOut<bf16>,
    #[ttl(common)] norm: Norm,
    #[ttl(common)] passes: u32,
    first: u32,
    count: u32,
) {
    rows::write_weights(&weights, norm.cut.columns);
    if passes == 1 {
        for at in 0..norm.rows.blocks {
            if norm.gamma > 0 {
                rows::read_part(noc, &gamma, norm.rows, 0, at, 0);
            }
            if norm.beta > 0 {
                rows::read_part(noc, &beta, norm.rows, 0, at, 0);
            }
        }
    }
    for row in first..first + count {
        for pass in 0..passes {
            for at in 0..norm.cut.blocks {
                rows::read_part(noc, &x, norm.cut, row, at, 0);
                if norm.residual > 0 {
                    rows::read_part(noc, &residual, norm.cut, row, at, 0);
                }
                if pass > 0 && pass + 1 == passes {
                    if norm.gamma > 0 {
                        rows::read_part(noc, &gamma, norm.cut, 0, at, 0);
                    }
                    if norm.beta > 0 {
                        rows::read_part(noc, &beta, norm.cut, 0, at, 0);
                    }
                }
            }
        }
    }
}

/// `y = layernorm(x)` over the cores of `grid`, as a row fits any chip whose L1 holds no tensors.
pub fn program<T: Element>(grid: &CoreSet, config: ComputeConfig, norm: &LayerNorm<'_, T>) -> ttl::Result<Program> {
    program_with(grid, config, &RowOptions::default(), norm)
}

/// `y = layernorm(x)` over the cores of `grid`.
pub fn program_with<T: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    options: &RowOptions,
    norm: &LayerNorm<'_, T>,
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
    of: &LayerNorm<'_, T>,
) -> ttl::Result<Program> {
    let mut tensors = vec![("x", of.x), ("y", of.y)];
    tensors.extend(of.residual.map(|r| ("residual", r)));
    rows::same_shapes("layernorm", &tensors)?;
    for (name, row) in [("gamma", of.gamma), ("beta", of.beta)] {
        if let Some(row) = row {
            rows::is_row("layernorm", name, row, of.x)?;
        }
    }
    let has = |t: Option<&Tensor<T>>| u32::from(t.is_some());
    let (residual, gamma, beta) = (has(of.residual), has(of.gamma), has(of.beta));
    let (outer, inner) = (rows::tile::<T>(), rows::tile::<E>());
    let fit = Fit::of("layernorm", of.x, options, |block, depth| {
        let transfers =
            depth * block * (2 + residual) + (1 - residual) + rows::staged(block, gamma) + rows::staged(block, beta);
        let steps = block * (1 + gamma + beta) + (2 - gamma - beta) + 6;
        u64::from(transfers) * outer + u64::from(steps) * inner + u64::from(WEIGHTS) * 2048
    })?;
    let cut = fit.cut;
    let block = cut.block;
    let norm = Norm {
        cut,
        rows: rows::parts(cut.width, block),
        residual: residual * block,
        gamma: gamma * block,
        beta: beta * block,
        share: 1.0 / (of.x.shape().last().copied().unwrap_or(1) as f32),
        epsilon: of.epsilon,
    };
    let split = split(of.x.tile_rows(), grid);
    let cores = &split.cores;
    let mut p = Program::new("layernorm");
    let (x_out, x_in) = p.circular_buffer::<T>("x", cores, fit.depth * block);
    let (residual_out, residual_in) = p.circular_buffer::<T>("residual", cores, (fit.depth * norm.residual).max(1));
    let (gamma_out, gamma_in) = p.circular_buffer::<T>("gamma", cores, rows::staged(block, gamma));
    let (beta_out, beta_in) = p.circular_buffer::<T>("beta", cores, rows::staged(block, beta));
    let (weights_out, weights_in) = p.circular_buffer::<bf16>("weights", cores, WEIGHTS);
    let (mean_out, mean) = p.circular_buffer::<E>("mean", cores, 2);
    let (centred_out, centred) = p.circular_buffer::<E>("centred", cores, block);
    let (squares_out, squares) = p.circular_buffer::<E>("squares", cores, 2);
    let (scale_out, scale) = p.circular_buffer::<E>("scale", cores, 2);
    let (full_gamma_out, full_gamma) = p.circular_buffer::<E>("gamma rows", cores, norm.gamma.max(1));
    let (full_beta_out, full_beta) = p.circular_buffer::<E>("beta rows", cores, norm.beta.max(1));
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, fit.depth * block);
    let source = |tensor: Option<&Tensor<T>>, out| SourceHost { tensor: tensor.unwrap_or(of.x).accessor(), out };
    let inputs = InputsHost { x: x_in, residual: residual_in, gamma: gamma_in, beta: beta_in, weights: weights_in };
    let steps = StepsHost {
        mean_out,
        mean,
        centred_out,
        centred,
        squares_out,
        squares,
        scale_out,
        scale,
        gamma_out: full_gamma_out,
        gamma: full_gamma,
        beta_out: full_beta_out,
        beta: full_beta,
    };
    p.kernel(
        cores,
        read::<T> {
            x: source(Some(of.x), x_out),
            residual: source(of.residual, residual_out),
            gamma: source(of.gamma, gamma_out),
            beta: source(of.beta, beta_out),
            weights: weights_out,
            norm,
            passes: if fit.whole() { 1 } else { 3 },
            first: split.first(),
            count: split.count(),
        },
    );
    if fit.whole() {
        p.compute(cores, config, whole::<T, E> { inputs, steps, y: y_out, norm, count: split.count() });
    } else {
        p.compute(cores, config, in_blocks::<T, E> { inputs, steps, y: y_out, norm, count: split.count() });
    }
    p.kernel(cores, rows::write::<T> { y: of.y.accessor(), y_in, cut, first: split.first(), count: split.count() });
    Ok(p)
}
