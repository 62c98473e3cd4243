//! From weights and a block of values to the running sums of both, and to the result.

use super::buffers::Buffers;
use super::shape::Shape;
use ttl::prelude::*;

/// Adds the weights up, in every column of a tile. `before` and `shrink` are read if there was a block before (`AGAIN`); after the last one (`LAST`) one
/// divided by the sums is left.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // blocks of six buffers
pub(super) fn sums<E: Element, T: Element, const AGAIN: bool, const LAST: bool>(
    compute: &Compute,
    b: &Buffers<E, T>,
    weights: &Front<E>,
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

/// Adds the weighted values up, to what they were before times `shrink`; after the last block they are divided by the sums of the weights: times
/// `inverse`, which is read there alone.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // blocks of six buffers
pub(super) fn values<E: Element, T: Element, O: Element, const AGAIN: bool, const LAST: bool>(
    compute: &Compute,
    weights: &Front<E>,
    v: &Front<E>,
    before: &Front<T>,
    shrink: &Front<T>,
    inverse: &Front<T>,
    out: &CbOut<O>,
    shape: Shape,
) {
    let (rows, cols) = (shape.sections.value_rows, shape.sections.value_cols);
    let mut out = out.reserve_back(shape.rows * shape.width);
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
            if LAST {
                for r in 0..rows {
                    for c in 0..cols {
                        regs.mul_reuse_dest_tiles(inverse, i * rows + r, r * cols + c);
                    }
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
}
