//! Rows that go through L1 in blocks, three times.

use super::{Inputs, Norm, Steps};
use crate::pieces::fill_up;
use crate::rows::{self, ALL};
use ttl::prelude::*;

/// Rows larger than L1.
#[ttl::kernel(compute)]
pub fn in_blocks<T: Element, E: Element>(
    compute: Compute,
    inputs: Inputs<T>,
    steps: Steps<E>,
    y: CbOut<T>,
    #[ttl(common)] norm: Norm,
    count: u32,
) {
    let weights = inputs.weights.wait_front(3);
    for _ in 0..count {
        mean(compute, &inputs, &steps, &weights, norm);
        let mean = steps.mean.wait_front(1);
        squares(compute, &inputs, &steps, &mean, norm);
        let (share, epsilon) = (norm.share, norm.epsilon);
        rows::one_over_root(compute, &steps.squares, &steps.scale_out, &weights, norm.cut.width, share, epsilon);
        let scale = steps.scale.wait_front(1);
        for at in 0..norm.cut.blocks {
            let tiles = norm.cut.tiles(at);
            centre(&inputs, &steps, &mean, norm, tiles);
            if norm.gamma > 0 {
                rows::repeat_block(compute, &inputs.gamma, &steps.gamma_out, &weights, norm.gamma, tiles);
            }
            if norm.beta > 0 {
                rows::repeat_block(compute, &inputs.beta, &steps.beta_out, &weights, norm.beta, tiles);
            }
            let gamma = steps.gamma.wait_front(norm.gamma);
            let beta = steps.beta.wait_front(norm.beta);
            let centred = steps.centred.wait_front(norm.cut.block);
            let normal = centred.block(1, tiles) * scale.block(1, 1).bcast_cols();
            if norm.gamma > 0 && norm.beta > 0 {
                y.reserve_back(tiles).store(normal * gamma.block(1, tiles) + beta.block(1, tiles));
            } else if norm.gamma > 0 {
                y.reserve_back(tiles).store(normal * gamma.block(1, tiles));
            } else if norm.beta > 0 {
                y.reserve_back(tiles).store(normal + beta.block(1, tiles));
            } else {
                y.reserve_back(tiles).store(normal);
            }
            fill_up(&y, norm.cut.block, tiles);
        }
    }
}

/// The mean of a row: one register adds up all blocks.
#[ttl::device]
fn mean<T: Element, E: Element>(
    compute: Compute,
    inputs: &Inputs<T>,
    steps: &Steps<E>,
    weights: &Front<bf16>,
    norm: Norm,
) {
    let mut mean = steps.mean_out.reserve_back(1);
    let mut regs = compute.acquire();
    for at in 0..norm.cut.blocks {
        let tiles = norm.cut.tiles(at);
        let x = inputs.x.wait_front(norm.cut.block);
        let residual = inputs.residual.wait_front(norm.residual);
        for i in 0..tiles {
            regs.reduce_sum_row(&x, weights, i, ALL, 0);
        }
        if norm.residual > 0 {
            for i in 0..tiles {
                regs.reduce_sum_row(&residual, weights, i, ALL, 0);
            }
        }
    }
    regs.mul_unary_tile(0, norm.share);
    regs.commit().pack_tile(0, &mut mean);
}

/// The sums of the squares of a row less its mean, as `rows::sum_of_squares` leaves them: both stay in the registers while the blocks pass.
#[ttl::device]
fn squares<T: Element, E: Element>(
    compute: Compute,
    inputs: &Inputs<T>,
    steps: &Steps<E>,
    mean: &Front<E>,
    norm: Norm,
) {
    let mut out = steps.squares_out.reserve_back(2);
    let mut regs = compute.acquire();
    regs.fill_tile(0, 0.0);
    regs.fill_tile(1, 0.0);
    if norm.residual > 0 {
        regs.unary_bcast_cols(mean, 0, 3);
    }
    for at in 0..norm.cut.blocks {
        let tiles = norm.cut.tiles(at);
        let x = inputs.x.wait_front(norm.cut.block);
        let residual = inputs.residual.wait_front(norm.residual);
        for i in 0..tiles {
            if norm.residual > 0 {
                regs.add_tiles(&x, &residual, i, i, 2);
                regs.sub_binary_tile(2, 3, 2);
            } else {
                regs.sub_tiles_bcast_cols(&x, mean, i, 0, 2);
            }
            // The last tile of the row has weights of its own.
            if at * norm.cut.block + i + 1 < norm.cut.width {
                regs.addcmul_tile(1, 2, 2, 1, 1.0);
            } else {
                regs.addcmul_tile(0, 2, 2, 0, 1.0);
            }
        }
    }
    let mut done = regs.commit();
    done.pack_tile(0, &mut out);
    done.pack_tile(1, &mut out);
}

/// A block less the mean.
#[ttl::device]
fn centre<T: Element, E: Element>(inputs: &Inputs<T>, steps: &Steps<E>, mean: &Front<E>, norm: Norm, tiles: u32) {
    let x = inputs.x.wait_front(norm.cut.block);
    let residual = inputs.residual.wait_front(norm.residual);
    let means = mean.block(1, 1).bcast_cols();
    if norm.residual > 0 {
        steps.centred_out.reserve_back(tiles).store(x.block(1, tiles) - means + residual.block(1, tiles));
    } else {
        steps.centred_out.reserve_back(tiles).store(x.block(1, tiles) - means);
    }
    fill_up(&steps.centred_out, norm.cut.block, tiles);
}
