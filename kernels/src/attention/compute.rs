//! The compute kernels. For each block of queries, block of keys after block of keys: scores, running maxima, weights, running sums, values.

use super::buffers::Buffers;
use super::scores::{EDGE, FULL, NONE, ROW, first_max, next_max, scale_queries, scores, weights};
use super::shape::Shape;
use super::sums::{sums, values};
use ttl::prelude::*;

/// With the scores of block `block` of `blocks` there: maxima, weights, and the sums of weights and of weighted values.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // what a block needs
fn add_block<E: Element, T: Element>(
    compute: &Compute,
    b: &Buffers<E, T>,
    q: &Front<T>,
    ones: &Front<bf16>,
    shape: Shape,
    block: u32,
    blocks: u32,
) {
    let last = block + 1 == blocks;
    {
        let scores = b.scores_in.wait_front(shape.rows * shape.cols);
        if block == 0 {
            first_max(compute, b, &scores, ones, shape);
        } else {
            let before = b.max_in.wait_front(shape.rows);
            next_max(compute, b, &scores, &before, ones, shape);
        }
        let max = b.max_in.wait_front(shape.rows);
        weights(compute, b, &scores, &max, shape);
        if last {
            max.pop_front();
        } else {
            max.keep_front();
        }
    }
    let weights = b.weights_in.wait_front(shape.rows * shape.cols);
    let v = b.v.wait_front(shape.cols * shape.width);
    if block == 0 {
        // Nothing was summed up before: what stands in its place is not read.
        if last {
            sums::<E, T, false, true>(compute, b, &weights, ones, q, q, shape);
            let inverse = b.sum_in.wait_front(shape.rows);
            values::<E, T, E, false, true>(compute, &weights, &v, q, q, &inverse, &b.out, shape);
        } else {
            sums::<E, T, false, false>(compute, b, &weights, ones, q, q, shape);
            values::<E, T, T, false, false>(compute, &weights, &v, q, q, q, &b.acc_out, shape);
        }
    } else {
        let shrink = b.shrink_in.wait_front(shape.rows);
        let sum = b.sum_in.wait_front(shape.rows);
        let acc = b.acc_in.wait_front(shape.rows * shape.width);
        if last {
            sums::<E, T, true, true>(compute, b, &weights, ones, &sum, &shrink, shape);
            sum.pop_front();
            let inverse = b.sum_in.wait_front(shape.rows);
            values::<E, T, E, true, true>(compute, &weights, &v, &acc, &shrink, &inverse, &b.out, shape);
        } else {
            sums::<E, T, true, false>(compute, b, &weights, ones, &sum, &shrink, shape);
            sum.pop_front();
            values::<E, T, T, true, false>(compute, &weights, &v, &acc, &shrink, q, &b.acc_out, shape);
        }
    }
}

/// Attention without a mask.
#[ttl::kernel(compute)]
pub fn attend<E: Element, T: Element>(
    compute: Compute,
    b: Buffers<E, T>,
    #[ttl(compile_time)] shape: Shape,
    #[ttl(common)] scale: f32,
    first: u32,
    count: u32,
) {
    b.ones_out.reserve_back(1).store(compute.fill(1.0));
    let ones = b.ones_in.wait_front(1);
    for item in first..first + count {
        scale_queries(&compute, &b, shape, scale);
        let q = b.scaled_in.wait_front(shape.rows * shape.depth);
        let blocks = shape.key_blocks(item % shape.query_blocks());
        for block in 0..blocks {
            scores::<E, T, bf16, NONE>(&compute, &b, &q, &ones, &ones, shape, 0, 0);
            add_block(&compute, &b, &q, &ones, shape, block, blocks);
        }
    }
}

/// Attention in which the keys beyond an edge do not count: the padding of the last tile, or what follows a query. `mask` is three tiles, as
/// [`write_with_edge`](super::movement::write_with_edge()) makes them.
#[ttl::kernel(compute)]
pub fn attend_with_edge<E: Element, T: Element>(
    compute: Compute,
    b: Buffers<E, T>,
    mask: CbIn<bf16>,
    #[ttl(compile_time)] shape: Shape,
    #[ttl(common)] scale: f32,
    first: u32,
    count: u32,
) {
    b.ones_out.reserve_back(1).store(compute.fill(1.0));
    let ones = b.ones_in.wait_front(1);
    let mask = mask.wait_front(3);
    for item in first..first + count {
        scale_queries(&compute, &b, shape, scale);
        let q = b.scaled_in.wait_front(shape.rows * shape.depth);
        let query_block = item % shape.query_blocks();
        let blocks = shape.key_blocks(query_block);
        for block in 0..blocks {
            if (block + 1) * shape.cols > shape.edge_of(query_block, 0) {
                scores::<E, T, bf16, EDGE>(&compute, &b, &q, &mask, &ones, shape, query_block, block * shape.cols);
            } else {
                scores::<E, T, bf16, NONE>(&compute, &b, &q, &ones, &ones, shape, 0, 0);
            }
            add_block(&compute, &b, &q, &ones, shape, block, blocks);
        }
    }
}

/// Attention with a mask that is added to the scores: one row of keys for all queries.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // two buffers more
pub fn attend_with_row<E: Element, T: Element>(
    compute: Compute,
    b: Buffers<E, T>,
    mask: CbIn<E>,
    zeros_out: CbOut<E>,
    zeros_in: CbIn<E>,
    #[ttl(compile_time)] shape: Shape,
    #[ttl(common)] scale: f32,
    first: u32,
    count: u32,
) {
    b.ones_out.reserve_back(1).store(compute.fill(1.0));
    zeros_out.reserve_back(1).store(compute.fill(0.0));
    let ones = b.ones_in.wait_front(1);
    let zeros = zeros_in.wait_front(1);
    for item in first..first + count {
        scale_queries(&compute, &b, shape, scale);
        let q = b.scaled_in.wait_front(shape.rows * shape.depth);
        let blocks = shape.key_blocks(item % shape.query_blocks());
        for block in 0..blocks {
            {
                let mask = mask.wait_front(shape.cols);
                scores::<E, T, E, ROW>(&compute, &b, &q, &mask, &zeros, shape, 0, 0);
            }
            add_block(&compute, &b, &q, &ones, shape, block, blocks);
        }
    }
}

/// Attention with a mask that is added to the scores: a row of keys for each query.
#[ttl::kernel(compute)]
pub fn attend_with_mask<E: Element, T: Element>(
    compute: Compute,
    b: Buffers<E, T>,
    mask: CbIn<E>,
    #[ttl(compile_time)] shape: Shape,
    #[ttl(common)] scale: f32,
    first: u32,
    count: u32,
) {
    b.ones_out.reserve_back(1).store(compute.fill(1.0));
    let ones = b.ones_in.wait_front(1);
    for item in first..first + count {
        scale_queries(&compute, &b, shape, scale);
        let q = b.scaled_in.wait_front(shape.rows * shape.depth);
        let blocks = shape.key_blocks(item % shape.query_blocks());
        for block in 0..blocks {
            {
                let mask = mask.wait_front(shape.rows * shape.cols);
                scores::<E, T, E, FULL>(&compute, &b, &q, &mask, &mask, shape, 0, 0);
            }
            add_block(&compute, &b, &q, &ones, shape, block, blocks);
        }
    }
}
