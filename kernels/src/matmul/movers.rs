//! What readers and writers of all strategies do: blocks of the operands from device memory, sub-blocks of the result to it.

use super::sizes::{Blocks, Extent, Work};
use crate::pieces::{piece_at, pieces};
use crate::tiles::read_part;
use ttl::prelude::*;

/// Reads the tiles of the bias above a block of the result, and a tile of zeros behind them.
#[ttl::device]
pub fn read_bias<D: Element>(
    noc: Noc,
    bias: &TensorAccessor<D>,
    row: &mut Reserved<D>,
    blocks: Blocks,
    extent: Extent,
    left: u32,
) {
    let tile = bias.page_size();
    noc.raw().noc_async_write_zeros(row.get_write_ptr() + blocks.n * tile, tile);
    read_part::<D>(&noc, bias, row, left, extent.n, 1, piece_at(left, blocks.n, extent.n), blocks.n);
}

/// Reads one block of `a`.
#[ttl::device]
pub fn read_a<A: Element>(
    noc: Noc,
    a: &TensorAccessor<A>,
    block: &mut Reserved<A>,
    blocks: Blocks,
    extent: Extent,
    top: u32,
    step: u32,
) {
    let first = step * blocks.k;
    let (rows, columns) = (piece_at(top, blocks.m, extent.m), piece_at(first, blocks.k, extent.k));
    read_part::<A>(&noc, a, block, top * extent.k + first, extent.k, rows, columns, blocks.k);
}

/// Reads one block of `b`.
#[ttl::device]
pub fn read_b<B: Element>(
    noc: Noc,
    b: &TensorAccessor<B>,
    block: &mut Reserved<B>,
    blocks: Blocks,
    extent: Extent,
    left: u32,
    step: u32,
) {
    let first = step * blocks.k;
    let (rows, columns) = (piece_at(first, blocks.k, extent.k), piece_at(left, blocks.n, extent.n));
    read_part::<B>(&noc, b, block, first * extent.n + left, extent.n, rows, columns, blocks.n);
}

/// Reads the blocks of both operands for one block of the result, step after step.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers, and sizes
pub fn read_steps<A: Element, B: Element>(
    noc: Noc,
    a: &TensorAccessor<A>,
    b: &TensorAccessor<B>,
    a_out: &CbOut<A>,
    b_out: &CbOut<B>,
    blocks: Blocks,
    extent: Extent,
    work: Work,
    i: u32,
) {
    let (top, left) = (work.top(i, blocks), work.left(i, blocks));
    let rows = piece_at(top, blocks.m, extent.m);
    let columns = piece_at(left, blocks.n, extent.n);
    for step in work.first_step..work.first_step + work.steps {
        let first = step * blocks.k;
        let depth = piece_at(first, blocks.k, extent.k);
        let mut a_block = a_out.reserve_back(blocks.m * blocks.k);
        let mut b_block = b_out.reserve_back(blocks.k * blocks.n);
        let mut a_reads = noc.read_into(&mut a_block);
        let mut b_reads = noc.read_into(&mut b_block);
        for m in 0..rows {
            for k in 0..depth {
                a_reads.page(a, (top + m) * extent.k + first + k, m * blocks.k + k);
            }
        }
        for k in 0..depth {
            for n in 0..columns {
                b_reads.page(b, (first + k) * extent.n + left + n, k * blocks.n + n);
            }
        }
        a_reads.wait();
        b_reads.wait();
    }
}

/// Writes one block of the result, which comes as sub-blocks.
#[ttl::device]
pub fn write_result<C: Element>(
    noc: Noc,
    c: &TensorAccessor<C>,
    c_in: &CbIn<C>,
    blocks: Blocks,
    extent: Extent,
    top: u32,
    left: u32,
) {
    let bottom = top + piece_at(top, blocks.m, extent.m);
    let right = left + piece_at(left, blocks.n, extent.n);
    for r in 0..pieces(bottom - top, blocks.sub_m) {
        for s in 0..pieces(right - left, blocks.sub_n) {
            let (m, n) = (top + r * blocks.sub_m, left + s * blocks.sub_n);
            let (rows, columns) = (piece_at(m, blocks.sub_m, bottom), piece_at(n, blocks.sub_n, right));
            let part = c_in.wait_front(blocks.registers());
            let mut writes = noc.write_from(&part);
            for i in 0..rows {
                for j in 0..columns {
                    writes.page(c, (m + i) * extent.n + n + j, i * blocks.sub_n + j);
                }
            }
            writes.flushed();
        }
    }
}

/// Reads both operands.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers, and sizes
pub fn read<A: Element, B: Element>(
    noc: Noc,
    a: TensorAccessor<A>,
    b: TensorAccessor<B>,
    a_out: CbOut<A>,
    b_out: CbOut<B>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in work.first..work.first + work.count {
        read_steps::<A, B>(noc, &a, &b, &a_out, &b_out, blocks, extent, work, i);
    }
}

/// Reads both operands, and the bias before them.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // three tensors, their buffers, and sizes
pub fn read_with_bias<A: Element, B: Element, D: Element>(
    noc: Noc,
    a: TensorAccessor<A>,
    b: TensorAccessor<B>,
    bias: TensorAccessor<D>,
    a_out: CbOut<A>,
    b_out: CbOut<B>,
    bias_out: CbOut<D>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in work.first..work.first + work.count {
        let mut row = bias_out.reserve_back(blocks.n + 1);
        read_bias::<D>(noc, &bias, &mut row, blocks, extent, work.left(i, blocks));
        row.push_back();
        read_steps::<A, B>(noc, &a, &b, &a_out, &b_out, blocks, extent, work, i);
    }
}

/// Writes the result.
#[ttl::kernel(writer)]
pub fn write<C: Element>(
    noc: Noc,
    c: TensorAccessor<C>,
    c_in: CbIn<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in work.first..work.first + work.count {
        write_result::<C>(noc, &c, &c_in, blocks, extent, work.top(i, blocks), work.left(i, blocks));
    }
}
