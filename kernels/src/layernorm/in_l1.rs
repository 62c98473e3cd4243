//! Rows that lie in L1.

use super::{Inputs, Norm, Steps};
use crate::rows::{self, ALL};
use ttl::prelude::*;

/// Rows that lie in L1 as one block each.
#[ttl::kernel(compute)]
pub fn whole<T: Element, E: Element>(
    compute: Compute,
    inputs: Inputs<T>,
    steps: Steps<E>,
    y: CbOut<T>,
    #[ttl(common)] norm: Norm,
    count: u32,
) {
    let weights = inputs.weights.wait_front(3);
    for at in 0..norm.rows.blocks {
        if norm.gamma > 0 {
            rows::repeat_part(compute, &inputs.gamma, &steps.gamma_out, &weights, norm.rows, at);
        }
        if norm.beta > 0 {
            rows::repeat_part(compute, &inputs.beta, &steps.beta_out, &weights, norm.rows, at);
        }
    }
    let gamma = steps.gamma.wait_front(norm.gamma);
    let beta = steps.beta.wait_front(norm.beta);
    let width = norm.cut.width;
    for _ in 0..count {
        centre(compute, &inputs, &steps, &weights, norm);
        let centred = steps.centred.wait_front(width);
        rows::sum_of_squares(compute, &centred, &steps.squares_out, width);
        rows::one_over_root(compute, &steps.squares, &steps.scale_out, &weights, width, norm.share, norm.epsilon);
        let scale = steps.scale.wait_front(1);
        let normal = centred.block(1, width) * scale.block(1, 1).bcast_cols();
        let mut result = y.reserve_back(width);
        if norm.gamma > 0 && norm.beta > 0 {
            result.store(normal * gamma.block(1, width) + beta.block(1, width));
        } else if norm.gamma > 0 {
            result.store(normal * gamma.block(1, width));
        } else if norm.beta > 0 {
            result.store(normal + beta.block(1, width));
        } else {
            result.store(normal);
        }
    }
}

/// The mean of a row, and the row less its mean.
#[ttl::device]
fn centre<T: Element, E: Element>(
    compute: Compute,
    inputs: &Inputs<T>,
    steps: &Steps<E>,
    weights: &Front<bf16>,
    norm: Norm,
) {
    let width = norm.cut.width;
    let x = inputs.x.wait_front(width);
    let residual = inputs.residual.wait_front(norm.residual);
    {
        let mut mean = steps.mean_out.reserve_back(1);
        let mut regs = compute.acquire();
        for i in 0..width {
            regs.reduce_sum_row(&x, weights, i, ALL, 0);
        }
        for i in 0..norm.residual {
            regs.reduce_sum_row(&residual, weights, i, ALL, 0);
        }
        regs.mul_unary_tile(0, norm.share);
        regs.commit().pack_tile(0, &mut mean);
    }
    let mean = steps.mean.wait_front(1);
    let means = mean.block(1, 1).bcast_cols();
    let mut centred = steps.centred_out.reserve_back(width);
    if norm.residual > 0 {
        centred.store(x.block(1, width) - means + residual.block(1, width));
    } else {
        centred.store(x.block(1, width) - means);
    }
}
