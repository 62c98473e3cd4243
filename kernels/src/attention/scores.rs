//! From queries and a block of keys to weights: scores with their mask, the largest score of each query, `e^(score - maximum)`.

use super::buffers::Buffers;
use super::shape::Shape;
use ttl::prelude::*;

/// The queries of an item, times the scale.
#[ttl::device]
pub(super) fn scale_queries<E: Element, T: Element>(compute: &Compute, b: &Buffers<E, T>, shape: Shape, scale: f32) {
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
pub(super) const NONE: u32 = 0;
pub(super) const EDGE: u32 = 1;
pub(super) const ROW: u32 = 2;
pub(super) const FULL: u32 = 3;

/// The scores of a block of keys that begins with tile `first`. The tiles of the mask are in the registers before the products: of an edge one of the
/// three of `mask`; of a row with `zeros`, since adding is the way to bring a row to all rows of 32-bit registers. Of `mask` and `zeros`
/// none is read that is not needed.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // three blocks and a place
pub(super) fn scores<E: Element, T: Element, M: Element, const MASK: u32>(
    compute: &Compute,
    b: &Buffers<E, T>,
    q: &Front<T>,
    mask: &Front<M>,
    zeros: &Front<M>,
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
pub(super) fn first_max<E: Element, T: Element>(
    compute: &Compute,
    b: &Buffers<E, T>,
    scores: &Front<T>,
    ones: &Front<bf16>,
    shape: Shape,
) {
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
pub(super) fn next_max<E: Element, T: Element>(
    compute: &Compute,
    b: &Buffers<E, T>,
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
pub(super) fn weights<E: Element, T: Element>(
    compute: &Compute,
    b: &Buffers<E, T>,
    scores: &Front<T>,
    max: &Front<T>,
    shape: Shape,
) {
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
