//! Rows that go through L1 in blocks, twice.

use super::{Norm, Steps};
use crate::pieces::fill_up;
use crate::rows;
use ttl::prelude::*;

/// Rows larger than L1.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // the inputs' buffers
pub fn in_blocks<T: Element, E: Element>(
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
    let cut = norm.cut;
    for _ in 0..count {
        squares(compute, &x_in, &steps, norm);
        rows::one_over_root(compute, &steps.squares, &steps.scale_out, &weights, cut.width, norm.share, norm.epsilon);
        let scale = steps.scale.wait_front(1);
        for at in 0..cut.blocks {
            let tiles = cut.tiles(at);
            let x = x_in.wait_front(cut.block);
            let normal = x.block(1, tiles) * scale.block(1, 1).bcast_cols();
            if norm.gamma > 0 {
                rows::repeat_block(compute, &gamma_in, &steps.gamma_out, &weights, cut.block, tiles);
                let gamma = steps.gamma.wait_front(cut.block);
                y_out.reserve_back(tiles).store(normal * gamma.block(1, tiles));
            } else {
                y_out.reserve_back(tiles).store(normal);
            }
            fill_up(&y_out, cut.block, tiles);
        }
    }
}

/// The sums of squares of a row, as `rows::sum_of_squares` leaves them: both stay in the registers while the blocks pass.
#[ttl::device]
fn squares<T: Element, E: Element>(compute: Compute, x: &CbIn<T>, steps: &Steps<E>, norm: Norm) {
    let cut = norm.cut;
    let mut out = steps.squares_out.reserve_back(2);
    let mut regs = compute.acquire();
    for at in 0..cut.blocks {
        let block = x.wait_front(cut.block);
        for i in 0..cut.tiles(at) {
            // The last tile of the row has weights of its own.
            if at * cut.block + i + 1 < cut.width {
                regs.mul_tiles(&block, &block, i, i, 1);
            } else {
                regs.mul_tiles(&block, &block, i, i, 0);
            }
        }
    }
    let mut done = regs.commit();
    done.pack_tile(0, &mut out);
    if cut.width > 1 {
        done.pack_tile(1, &mut out);
    }
}
