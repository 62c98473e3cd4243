//! Rows that go through L1 in blocks, three times.

use super::Steps;
use crate::pieces::{fill_up, piece_at, pieces};
use crate::rows::Cut;
use ttl::prelude::*;

/// Rows larger than L1.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // both ends of the tile of ones
pub fn in_blocks<T: Element, E: Element>(
    compute: Compute,
    x_in: CbIn<T>,
    ones_out: CbOut<bf16>,
    ones: CbIn<bf16>,
    steps: Steps<E>,
    y_out: CbOut<T>,
    #[ttl(common)] cut: Cut,
    #[ttl(compile_time)] log: bool,
    count: u32,
) {
    ones_out.reserve_back(1).store(compute.fill(1.0));
    let ones = ones.wait_front(1);
    for _ in 0..count {
        maximum(compute, &x_in, &ones, &steps.max_out, cut);
        let max = steps.max.wait_front(1);
        exponentials(compute, &x_in, &max, &steps.exp_out, cut);
        let exp = steps.exp.wait_front(1);
        if log {
            steps.sum_out.reserve_back(1).store(exp.block(1, 1).sum_row().log());
        } else {
            steps.sum_out.reserve_back(1).store(exp.block(1, 1).sum_row().recip());
        }
        let sum = steps.sum.wait_front(1);
        for at in 0..cut.blocks {
            let tiles = cut.tiles(at);
            let block = x_in.wait_front(cut.block);
            let less = block.block(1, tiles) - max.block(1, 1).bcast_cols();
            if log {
                y_out.reserve_back(tiles).store(less - sum.block(1, 1).bcast_cols());
            } else {
                y_out.reserve_back(tiles).store(less.exp() * sum.block(1, 1).bcast_cols());
            }
            fill_up(&y_out, cut.block, tiles);
        }
    }
}

/// The maximum of each row: one register compares all blocks.
#[ttl::device]
fn maximum<T: Element, E: Element>(compute: Compute, x: &CbIn<T>, ones: &Front<bf16>, max: &CbOut<E>, cut: Cut) {
    let mut out = max.reserve_back(1);
    let mut regs = compute.acquire();
    for at in 0..cut.blocks {
        let block = x.wait_front(cut.block);
        for i in 0..cut.tiles(at) {
            regs.reduce_max_row(&block, ones, i, 0, 0);
        }
    }
    regs.commit().pack_tile(0, &mut out);
}

/// The exponentials of all tiles of a row, added up in one register.
#[ttl::device]
fn exponentials<T: Element, E: Element>(compute: Compute, x: &CbIn<T>, max: &Front<E>, sums: &CbOut<E>, cut: Cut) {
    let mut out = sums.reserve_back(1);
    let mut regs = compute.acquire();
    regs.fill_tile(0, 0.0);
    for at in 0..cut.blocks {
        let block = x.wait_front(cut.block);
        let tiles = cut.tiles(at);
        // Three tiles at a time, so that each operation is set up once for them.
        for part in 0..pieces(tiles, 3) {
            let first = 3 * part;
            let count = piece_at(first, 3, tiles);
            for i in 0..count {
                regs.sub_tiles_bcast_cols(&block, max, first + i, 0, 1 + i);
            }
            for i in 0..count {
                regs.exp_tile(1 + i);
            }
            for i in 0..count {
                regs.add_binary_tile(0, 1 + i, 0);
            }
        }
    }
    regs.commit().pack_tile(0, &mut out);
}
