//! Rows that lie in L1.

use super::Steps;
use ttl::prelude::*;

/// Rows that lie in L1 as one block each.
#[ttl::kernel(compute)]
pub fn whole<T: Element, E: Element>(
    _compute: Compute,
    x_in: CbIn<T>,
    steps: Steps<E>,
    y_out: CbOut<T>,
    #[ttl(common)] width: u32,
    #[ttl(compile_time)] log: bool,
    count: u32,
) {
    for _ in 0..count {
        let tiles = x_in.wait_front(width);
        let x = tiles.block(1, width);
        steps.max_out.reserve_back(1).store(x.max_row());
        let max = steps.max.wait_front(1);
        let less = x - max.block(1, 1).bcast_cols();
        steps.exp_out.reserve_back(width).store(less.exp());
        let exp = steps.exp.wait_front(width);
        let exp = exp.block(1, width);
        if log {
            steps.sum_out.reserve_back(1).store(exp.sum_row().log());
            let sum = steps.sum.wait_front(1);
            y_out.reserve_back(width).store(less - sum.block(1, 1).bcast_cols());
        } else {
            steps.sum_out.reserve_back(1).store(exp.sum_row().recip());
            let sum = steps.sum.wait_front(1);
            y_out.reserve_back(width).store(exp * sum.block(1, 1).bcast_cols());
        }
    }
}
