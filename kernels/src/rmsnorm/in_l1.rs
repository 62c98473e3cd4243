//! Rows that lie in L1.

use super::{Norm, Steps};
use crate::rows;
use ttl::prelude::*;

/// Rows that lie in L1 as one block each.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // the inputs' buffers
pub fn whole<T: Element, E: Element>(
    compute: Compute,
    x_in: CbIn<T>,
    gamma_in: CbIn<T>,
    weights: CbIn<bf16>,
    steps: Steps<E>,
    y_out: CbOut<T>,
    #[ttl(common)] norm: Norm,
    count: u32,
) {
    let weights = weights.wait_front(3);
    if norm.gamma > 0 {
        for at in 0..norm.rows.blocks {
            rows::repeat_part(compute, &gamma_in, &steps.gamma_out, &weights, norm.rows, at);
        }
    }
    let gamma = steps.gamma.wait_front(norm.gamma);
    let width = norm.cut.width;
    for _ in 0..count {
        let tiles = x_in.wait_front(width);
        rows::sum_of_squares(compute, &tiles, &steps.squares_out, width);
        rows::one_over_root(compute, &steps.squares, &steps.scale_out, &weights, width, norm.share, norm.epsilon);
        let scale = steps.scale.wait_front(1);
        let normal = tiles.block(1, width) * scale.block(1, 1).bcast_cols();
        let mut y = y_out.reserve_back(width);
        if norm.gamma > 0 {
            y.store(normal * gamma.block(1, width));
        } else {
            y.store(normal);
        }
    }
}
