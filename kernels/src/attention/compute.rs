//! The compute kernels. For each block of queries, block of keys after block of keys: scores, running maxima, weights, running sums, values.

use super::shape::Shape;
use ttl::prelude::*;

/// The buffers of a compute kernel. What it keeps for itself is f32 with 32-bit registers, else bf16.
#[ttl::device]
#[derive(Debug)]
pub struct Buffers<T: Element> {
    pub q: CbIn<bf16>,
    pub k: CbIn<bf16>,
    pub v: CbIn<bf16>,
    pub out: CbOut<bf16>,
    /// One tile of ones, for sums and as the scaler of maxima.
    pub ones_out: CbOut<bf16>,
    pub ones_in: CbIn<bf16>,
    /// The queries times the scale.
    pub scaled_out: CbOut<T>,
    pub scaled_in: CbIn<T>,
    /// The scores of a block.
    pub scores_out: CbOut<T>,
    pub scores_in: CbIn<T>,
    /// e^(score - maximum).
    pub weights_out: CbOut<bf16>,
    pub weights_in: CbIn<bf16>,
    /// The largest score of each query so far.
    pub max_out: CbOut<T>,
    pub max_in: CbIn<T>,
    /// e^(maximum before - maximum now).
    pub shrink_out: CbOut<T>,
    pub shrink_in: CbIn<T>,
    /// The sum of the weights of each query so far; in the end one divided by it.
    pub sum_out: CbOut<T>,
    pub sum_in: CbIn<T>,
    /// The sum of the weighted values so far.
    pub acc_out: CbOut<T>,
    pub acc_in: CbIn<T>,
}

#[ttl::device]
fn scale_queries<T: Element>(compute: &Compute, b: &Buffers<T>, shape: Shape, scale: f32) {
    let tiles = shape.sections.queries;
    let q = b.q.wait_front(shape.rows * shape.depth);
    let mut scaled = b.scaled_out.reserve_back(shape.rows * shape.depth);
    for section in 0..shape.rows * shape.depth / tiles {
        let mut regs = compute.acquire();
        for i in 0..tiles {
            regs.copy_tile(&q, section * tiles + i, i);
        }
        for i in 0..tiles {
            regs.mul_unary_tile(i, scale);
        }
        let mut done = regs.commit();
        for i in 0..tiles {
            done.pack_tile(i, &mut scaled);
        }
    }
}

/// Masks: none; keys beyond an edge do not count; a row for all queries; a row for each.
const NONE: u32 = 0;
const EDGE: u32 = 1;
const ROW: u32 = 2;
const FULL: u32 = 3;

/// The scores of a block of keys that begins with tile `first`. The tiles of the mask are in the registers before the products: of an edge one of the
/// three of `mask`; of a row with `zeros`, since adding is the way to bring a bf16 row to all rows of 32-bit registers. Without a mask neither is read.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // three blocks and a place
fn scores<T: Element, const MASK: u32>(
    compute: &Compute,
    b: &Buffers<T>,
    q: &Front<T>,
    mask: &Front<bf16>,
    zeros: &Front<bf16>,
    shape: Shape,
    query_block: u32,
    first: u32,
) {
    let (rows, cols) = (shape.sections.score_rows, shape.sections.score_cols);
    let k = b.k.wait_front(shape.cols * shape.depth);
    let mut scores = b.scores_out.reserve_back(shape.rows * shape.cols);
    for i in 0..shape.rows / rows {
        for j in 0..shape.cols / cols {
            let mut regs = compute.acquire();
            if MASK == EDGE {
                for r in 0..rows {
                    let edge = shape.edge_of(query_block, i * rows + r);
                    for c in 0..cols {
                        let key = first + j * cols + c;
                        if key >= edge {
                            regs.copy_tile(mask, (key - edge).min(2), r * cols + c);
                        }
                    }
                }
            }
            if MASK == ROW {
                for r in 0..rows {
                    for c in 0..cols {
                        regs.add_tiles_bcast_rows(zeros, mask, 0, j * cols + c, r * cols + c);
                    }
                }
            }
            if MASK == FULL {
                for r in 0..rows {
                    for c in 0..cols {
                        regs.copy_tile(mask, (i * rows + r) * shape.cols + j * cols + c, r * cols + c);
                    }
                }
            }
            for d in 0..shape.depth {
                let (left, right) = (i * rows * shape.depth + d, d * shape.cols + j * cols);
                regs.matmul_block_transposed(q, &k, left, right, 0, cols, rows, shape.depth);
            }
            let mut done = regs.commit();
            for r in 0..rows {
                for c in 0..cols {
                    done.pack_tile_at(r * cols + c, &mut scores, (i * rows + r) * shape.cols + j * cols + c);
                }
            }
        }
    }
}

/// The largest score of each query in the first block.
#[ttl::device]
fn first_max<T: Element>(compute: &Compute, b: &Buffers<T>, scores: &Front<T>, ones: &Front<bf16>, shape: Shape) {
    let rows = shape.sections.max_rows;
    let mut max = b.max_out.reserve_back(shape.rows);
    for i in 0..shape.rows / rows {
        let mut regs = compute.acquire();
        for r in 0..rows {
            for c in 0..shape.cols {
                regs.reduce_max_row(scores, ones, (i * rows + r) * shape.cols + c, 0, r);
            }
        }
        let mut done = regs.commit();
        for r in 0..rows {
            done.pack_tile(r, &mut max);
        }
    }
}

/// The largest score of each query so far, and how much smaller that makes what was summed up before.
#[ttl::device]
fn next_max<T: Element>(
    compute: &Compute,
    b: &Buffers<T>,
    scores: &Front<T>,
    before: &Front<T>,
    ones: &Front<bf16>,
    shape: Shape,
) {
    let rows = shape.sections.max_rows;
    let mut max = b.max_out.reserve_back(shape.rows);
    let mut shrink = b.shrink_out.reserve_back(shape.rows);
    for i in 0..shape.rows / rows {
        let mut regs = compute.acquire();
        for r in 0..rows {
            regs.copy_tile(before, i * rows + r, r);
        }
        for r in 0..rows {
            regs.copy_tile(before, i * rows + r, rows + r);
        }
        for r in 0..rows {
            for c in 0..shape.cols {
                regs.reduce_max_row(scores, ones, (i * rows + r) * shape.cols + c, 0, r);
            }
        }
        for r in 0..rows {
            regs.sub_binary_tile(rows + r, r, rows + r);
        }
        for r in 0..rows {
            regs.exp_tile(rows + r);
        }
        let mut done = regs.commit();
        for r in 0..rows {
            done.pack_tile(r, &mut max);
        }
        for r in 0..rows {
            done.pack_tile(rows + r, &mut shrink);
        }
    }
}

/// `e^(score - maximum)`.
#[ttl::device]
fn weights<T: Element>(compute: &Compute, b: &Buffers<T>, scores: &Front<T>, max: &Front<T>, shape: Shape) {
    let (rows, cols) = (shape.sections.score_rows, shape.sections.score_cols);
    let mut weights = b.weights_out.reserve_back(shape.rows * shape.cols);
    for i in 0..shape.rows / rows {
        for j in 0..shape.cols / cols {
            let mut regs = compute.acquire();
            for r in 0..rows {
                for c in 0..cols {
                    let tile = (i * rows + r) * shape.cols + j * cols + c;
                    regs.sub_tiles_bcast_cols(scores, max, tile, i * rows + r, r * cols + c);
                }
            }
            for t in 0..rows * cols {
                regs.exp_tile(t);
            }
            let mut done = regs.commit();
            for r in 0..rows {
                for c in 0..cols {
                    let tile = (i * rows + r) * shape.cols + j * cols + c;
                    done.pack_tile_at(r * cols + c, &mut weights, tile);
                }
            }
        }
    }
}

/// Adds the weights up, in every column of a tile. `before` and `shrink` are read if there was a block before (`AGAIN`); after the last one (`LAST`) one
/// divided by the sums is left.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // blocks of six buffers
fn sums<T: Element, const AGAIN: bool, const LAST: bool>(
    compute: &Compute,
    b: &Buffers<T>,
    weights: &Front<bf16>,
    ones: &Front<bf16>,
    before: &Front<T>,
    shrink: &Front<T>,
    shape: Shape,
) {
    let rows = shape.sections.sum_rows;
    let mut sum = b.sum_out.reserve_back(shape.rows);
    for i in 0..shape.rows / rows {
        let mut regs = compute.acquire();
        if AGAIN {
            for r in 0..rows {
                regs.mul_tiles_bcast_cols(before, shrink, i * rows + r, i * rows + r, r);
            }
        }
        for c in 0..shape.cols {
            regs.matmul_block(weights, ones, i * rows * shape.cols + c, 0, 0, 1, rows, shape.cols);
        }
        if LAST {
            for r in 0..rows {
                regs.recip_tile(r);
            }
        }
        let mut done = regs.commit();
        for r in 0..rows {
            done.pack_tile(r, &mut sum);
        }
    }
}

/// Adds the weighted values up, to what they were before times `shrink`; after the last block they are divided by the sums of the weights and leave.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // blocks of six buffers
fn values<T: Element, const AGAIN: bool, const LAST: bool>(
    compute: &Compute,
    b: &Buffers<T>,
    weights: &Front<bf16>,
    v: &Front<bf16>,
    before: &Front<T>,
    shrink: &Front<T>,
    shape: Shape,
) {
    let (rows, cols) = (shape.sections.value_rows, shape.sections.value_cols);
    if LAST {
        let inverse = b.sum_in.wait_front(shape.rows);
        let mut out = b.out.reserve_back(shape.rows * shape.width);
        for i in 0..shape.rows / rows {
            for j in 0..shape.width / cols {
                let mut regs = compute.acquire();
                if AGAIN {
                    for r in 0..rows {
                        for c in 0..cols {
                            let tile = (i * rows + r) * shape.width + j * cols + c;
                            regs.mul_tiles_bcast_cols(before, shrink, tile, i * rows + r, r * cols + c);
                        }
                    }
                }
                for k in 0..shape.cols {
                    let (left, right) = (i * rows * shape.cols + k, k * shape.width + j * cols);
                    regs.matmul_block(weights, v, left, right, 0, cols, rows, shape.cols);
                }
                for r in 0..rows {
                    for c in 0..cols {
                        regs.mul_reuse_dest_tiles(&inverse, i * rows + r, r * cols + c);
                    }
                }
                let mut done = regs.commit();
                for r in 0..rows {
                    for c in 0..cols {
                        done.pack_tile_at(r * cols + c, &mut out, (i * rows + r) * shape.width + j * cols + c);
                    }
                }
            }
        }
    } else {
        let mut acc = b.acc_out.reserve_back(shape.rows * shape.width);
        for i in 0..shape.rows / rows {
            for j in 0..shape.width / cols {
                let mut regs = compute.acquire();
                if AGAIN {
                    for r in 0..rows {
                        for c in 0..cols {
                            let tile = (i * rows + r) * shape.width + j * cols + c;
                            regs.mul_tiles_bcast_cols(before, shrink, tile, i * rows + r, r * cols + c);
                        }
                    }
                }
                for k in 0..shape.cols {
                    let (left, right) = (i * rows * shape.cols + k, k * shape.width + j * cols);
                    regs.matmul_block(weights, v, left, right, 0, cols, rows, shape.cols);
                }
                let mut done = regs.commit();
                for r in 0..rows {
                    for c in 0..cols {
                        done.pack_tile_at(r * cols + c, &mut acc, (i * rows + r) * shape.width + j * cols + c);
                    }
                }
            }
        }
    }
}

/// With the scores of block `block` of `blocks` there: maxima, weights, and the sums of weights and of weighted values.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // what a block needs
fn add_block<T: Element>(
    compute: &Compute,
    b: &Buffers<T>,
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
            sums::<T, false, true>(compute, b, &weights, ones, q, q, shape);
            values::<T, false, true>(compute, b, &weights, &v, q, q, shape);
        } else {
            sums::<T, false, false>(compute, b, &weights, ones, q, q, shape);
            values::<T, false, false>(compute, b, &weights, &v, q, q, shape);
        }
    } else {
        let shrink = b.shrink_in.wait_front(shape.rows);
        let sum = b.sum_in.wait_front(shape.rows);
        let acc = b.acc_in.wait_front(shape.rows * shape.width);
        if last {
            sums::<T, true, true>(compute, b, &weights, ones, &sum, &shrink, shape);
            sum.pop_front();
            values::<T, true, true>(compute, b, &weights, &v, &acc, &shrink, shape);
        } else {
            sums::<T, true, false>(compute, b, &weights, ones, &sum, &shrink, shape);
            sum.pop_front();
            values::<T, true, false>(compute, b, &weights, &v, &acc, &shrink, shape);
        }
    }
}

/// Attention without a mask.
#[ttl::kernel(compute)]
pub fn attend<T: Element>(
    compute: Compute,
    b: Buffers<T>,
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
            scores::<T, NONE>(&compute, &b, &q, &ones, &ones, shape, 0, 0);
            add_block(&compute, &b, &q, &ones, shape, block, blocks);
        }
    }
}

/// Attention in which the keys beyond an edge do not count: the padding of the last tile, or what follows a query. `mask` is three tiles, as
/// [`write_with_edge`](super::movement::write_with_edge()) makes them.
#[ttl::kernel(compute)]
pub fn attend_with_edge<T: Element>(
    compute: Compute,
    b: Buffers<T>,
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
                scores::<T, EDGE>(&compute, &b, &q, &mask, &ones, shape, query_block, block * shape.cols);
            } else {
                scores::<T, NONE>(&compute, &b, &q, &ones, &ones, shape, 0, 0);
            }
            add_block(&compute, &b, &q, &ones, shape, block, blocks);
        }
    }
}

/// Attention with a mask that is added to the scores: one row of keys for all queries.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // two buffers more
pub fn attend_with_row<T: Element>(
    compute: Compute,
    b: Buffers<T>,
    mask: CbIn<bf16>,
    zeros_out: CbOut<bf16>,
    zeros_in: CbIn<bf16>,
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
                scores::<T, ROW>(&compute, &b, &q, &mask, &zeros, shape, 0, 0);
            }
            add_block(&compute, &b, &q, &ones, shape, block, blocks);
        }
    }
}

/// Attention with a mask that is added to the scores: a row of keys for each query.
#[ttl::kernel(compute)]
pub fn attend_with_mask<T: Element>(
    compute: Compute,
    b: Buffers<T>,
    mask: CbIn<bf16>,
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
                scores::<T, FULL>(&compute, &b, &q, &mask, &ones, shape, 0, 0);
            }
            add_block(&compute, &b, &q, &ones, shape, block, blocks);
        }
    }
}
