//! The arithmetic. Every strategy brings the same blocks in the same order, so there are two kernels: [`in_registers`](fn@in_registers) for blocks
//! of the result that fit the tile registers, which stay there over all steps, and [`in_blocks`](fn@in_blocks) for larger ones.
//!
//! The bias stands in the registers before the first product: a sum with a tile of zeros, which comes behind the tiles of the bias. The activation
//! is the last thing that happens there, ReLU is left to the packer.

use super::sizes::{Blocks, Extent, Work};
use crate::pieces::{piece_at, pieces};
use ttl::prelude::*;

/// [`Activation`](super::Activation) as kernels know it.
pub const NONE: u32 = 0;
/// [`Activation::Relu`](super::Activation::Relu).
pub const RELU: u32 = 1;
/// [`Activation::Gelu`](super::Activation::Gelu).
pub const GELU: u32 = 2;
/// [`Activation::GeluTanh`](super::Activation::GeluTanh).
pub const GELU_TANH: u32 = 3;
/// [`Activation::Silu`](super::Activation::Silu).
pub const SILU: u32 = 4;
/// [`Activation::Sigmoid`](super::Activation::Sigmoid).
pub const SIGMOID: u32 = 5;
/// [`Activation::Tanh`](super::Activation::Tanh).
pub const TANH: u32 = 6;

/// What the registers of a sub-block hold before the products are added.
const ZEROS: u32 = 0;
const BIAS_ROW: u32 = 1;
const SUMS: u32 = 2;

/// Row 0 of the bias tiles from `n` on, for each row of `rows` x `columns` registers. As a sum with zeros: the chip cannot broadcast a bf16 tile
/// alone into 32-bit registers.
#[ttl::device]
fn start<D: Element>(regs: &mut TileRegs, bias: &Front<D>, zeros: u32, n: u32, rows: u32, columns: u32) {
    for r in 0..rows {
        for c in 0..columns {
            regs.add_tiles_bcast_rows(bias, bias, zeros, n + c, r * columns + c);
        }
    }
}

/// Applies what is left of an activation behind the packer.
#[ttl::device]
fn activate<const ACT: u32>(regs: &mut TileRegs, tiles: u32) {
    if ACT == GELU {
        for i in 0..tiles {
            regs.gelu_tile(i);
        }
    } else if ACT == GELU_TANH {
        for i in 0..tiles {
            regs.gelu_tanh_tile(i);
        }
    } else if ACT == SILU {
        for i in 0..tiles {
            regs.silu_tile(i);
        }
    } else if ACT == SIGMOID {
        for i in 0..tiles {
            regs.sigmoid_tile(i);
        }
    } else if ACT == TANH {
        for i in 0..tiles {
            regs.tanh_tile(i);
        }
    }
}

/// One block of the result in the tile registers, from all its steps. Without `BIAS` the buffer of the bias is left alone.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // three operands, the result, and sizes
fn registers<A: Element, B: Element, D: Element, C: Element, const BIAS: bool, const ACT: u32>(
    compute: Compute,
    a: &CbIn<A>,
    b: &CbIn<B>,
    bias: &CbIn<D>,
    c: &CbOut<C>,
    blocks: Blocks,
    extent: Extent,
    work: Work,
) {
    if ACT == RELU {
        compute.pack_relu_zero();
    }
    for _ in 0..work.count {
        let mut regs = compute.acquire();
        if BIAS {
            let bias = bias.wait_front(blocks.n + 1);
            start::<D>(&mut regs, &bias, blocks.n, 0, blocks.m, blocks.n);
        }
        for step in work.first_step..work.first_step + work.steps {
            let a = a.wait_front(blocks.m * blocks.k);
            let b = b.wait_front(blocks.k * blocks.n);
            for k in 0..piece_at(step * blocks.k, blocks.k, extent.k) {
                regs.matmul_block(&a, &b, k, k * blocks.n, 0, blocks.n, blocks.m, blocks.k);
            }
        }
        activate::<ACT>(&mut regs, blocks.tiles());
        let mut c = c.reserve_back(blocks.tiles());
        let mut done = regs.commit();
        for i in 0..blocks.tiles() {
            done.pack_tile(i, &mut c);
        }
    }
}

/// Blocks of the result that fit the tile registers (one sub-block each).
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // two operands, the result, and sizes
pub fn in_registers<A: Element, B: Element, C: Element, const ACT: u32>(
    compute: Compute,
    a: CbIn<A>,
    b: CbIn<B>,
    c: CbOut<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    registers::<A, B, A, C, false, ACT>(compute, &a, &b, &a, &c, blocks, extent, work);
}

/// The same with a bias.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // three operands, the result, and sizes
pub fn in_registers_with_bias<A: Element, B: Element, C: Element, D: Element, const ACT: u32>(
    compute: Compute,
    a: CbIn<A>,
    b: CbIn<B>,
    bias: CbIn<D>,
    c: CbOut<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    registers::<A, B, D, C, true, ACT>(compute, &a, &b, &bias, &c, blocks, extent, work);
}

/// Spreads the bias over the sums of a block, in L1.
#[ttl::device]
fn start_sums<D: Element>(
    compute: Compute,
    bias: &Front<D>,
    sums: &mut Reserved<f32>,
    blocks: Blocks,
    rows: u32,
    columns: u32,
) {
    let mut at = 0;
    for _ in 0..pieces(rows, blocks.sub_m) {
        for j in 0..pieces(columns, blocks.sub_n) {
            let mut regs = compute.acquire();
            start::<D>(&mut regs, bias, blocks.n, j * blocks.sub_n, blocks.sub_m, blocks.sub_n);
            let mut done = regs.commit();
            for t in 0..blocks.registers() {
                done.pack_tile_at(t, sums, at + t);
            }
            at += blocks.registers();
        }
    }
}

/// One step of a block that is not the last: the products become the sums, or the packer adds them to the sums.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // two operands, the sums, and sizes
fn step<A: Element, B: Element, const ADD: bool>(
    compute: Compute,
    a: &Front<A>,
    b: &Front<B>,
    sums: &mut Reserved<f32>,
    blocks: Blocks,
    rows: u32,
    columns: u32,
) {
    let mut at = 0;
    for i in 0..pieces(rows, blocks.sub_m) {
        for j in 0..pieces(columns, blocks.sub_n) {
            let (m, n) = (i * blocks.sub_m, j * blocks.sub_n);
            let mut regs = compute.acquire();
            for k in 0..blocks.k {
                let (ia, ib) = (m * blocks.k + k, k * blocks.n + n);
                regs.matmul_block(a, b, ia, ib, 0, blocks.sub_n, blocks.sub_m, blocks.k);
            }
            let mut done = regs.commit();
            for t in 0..blocks.registers() {
                if ADD {
                    done.pack_tile_l1_acc(t, sums, at + t);
                } else {
                    done.pack_tile_at(t, sums, at + t);
                }
            }
            at += blocks.registers();
        }
    }
}

/// The last step of a block: `depth` tiles along k. The registers begin with what `START` says; sums of another core are added behind the products.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // operands, what comes before and behind them, and sizes
fn last_step<A: Element, B: Element, D: Element, C: Element, const START: u32, const GATHER: bool, const ACT: u32>(
    compute: Compute,
    a: &Front<A>,
    b: &Front<B>,
    bias: &Front<D>,
    sums: &CbIn<f32>,
    gathered: &CbIn<f32>,
    c: &CbOut<C>,
    blocks: Blocks,
    rows: u32,
    columns: u32,
    depth: u32,
) {
    for i in 0..pieces(rows, blocks.sub_m) {
        for j in 0..pieces(columns, blocks.sub_n) {
            let (m, n) = (i * blocks.sub_m, j * blocks.sub_n);
            let mut regs = compute.acquire();
            if START == SUMS {
                let sums = sums.wait_front(blocks.registers());
                for t in 0..blocks.registers() {
                    regs.copy_tile(&sums, t, t);
                }
            } else if START == BIAS_ROW {
                start::<D>(&mut regs, bias, blocks.n, n, blocks.sub_m, blocks.sub_n);
            }
            for k in 0..depth {
                let (ia, ib) = (m * blocks.k + k, k * blocks.n + n);
                regs.matmul_block(a, b, ia, ib, 0, blocks.sub_n, blocks.sub_m, blocks.k);
            }
            if GATHER {
                let other = gathered.wait_front(blocks.registers());
                for t in 0..blocks.registers() {
                    regs.copy_tile(&other, t, blocks.registers() + t);
                }
                for t in 0..blocks.registers() {
                    regs.add_binary_tile(t, blocks.registers() + t, t);
                }
            }
            activate::<ACT>(&mut regs, blocks.registers());
            let mut c = c.reserve_back(blocks.registers());
            let mut done = regs.commit();
            for t in 0..blocks.registers() {
                done.pack_tile(t, &mut c);
            }
        }
    }
}

/// All blocks of a core. Without `BIAS` and `GATHER` those buffers are left alone.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // three operands, sums, the result, and sizes
fn all_blocks<A: Element, B: Element, D: Element, C: Element, const BIAS: bool, const GATHER: bool, const ACT: u32>(
    compute: Compute,
    a: &CbIn<A>,
    b: &CbIn<B>,
    bias: &CbIn<D>,
    sums_out: &CbOut<f32>,
    sums: &CbIn<f32>,
    gathered: &CbIn<f32>,
    c: &CbOut<C>,
    blocks: Blocks,
    extent: Extent,
    work: Work,
) {
    for i in work.first..work.first + work.count {
        let rows = piece_at(work.top(i, blocks), blocks.m, extent.m);
        let columns = piece_at(work.left(i, blocks), blocks.n, extent.n);
        if work.steps > 1 {
            let mut parts = sums_out.reserve_back(blocks.tiles());
            if BIAS {
                let bias = bias.wait_front(blocks.n + 1);
                start_sums::<D>(compute, &bias, &mut parts, blocks, rows, columns);
            }
            for s in 0..work.steps - 1 {
                let a = a.wait_front(blocks.m * blocks.k);
                let b = b.wait_front(blocks.k * blocks.n);
                if !BIAS && s == 0 {
                    step::<A, B, false>(compute, &a, &b, &mut parts, blocks, rows, columns);
                } else {
                    step::<A, B, true>(compute, &a, &b, &mut parts, blocks, rows, columns);
                }
            }
        }
        let a = a.wait_front(blocks.m * blocks.k);
        let b = b.wait_front(blocks.k * blocks.n);
        let depth = piece_at((work.first_step + work.steps - 1) * blocks.k, blocks.k, extent.k);
        if ACT == RELU {
            compute.pack_relu_zero();
        }
        if work.steps > 1 {
            last_step::<A, B, A, C, SUMS, GATHER, ACT>(
                compute, &a, &b, &a, sums, gathered, c, blocks, rows, columns, depth,
            );
            // The buffer goes round in whole blocks.
            let used = pieces(rows, blocks.sub_m) * pieces(columns, blocks.sub_n) * blocks.registers();
            if used < blocks.tiles() {
                sums.wait_front(blocks.tiles() - used).pop_front();
            }
        } else if BIAS {
            let bias = bias.wait_front(blocks.n + 1);
            last_step::<A, B, D, C, BIAS_ROW, GATHER, ACT>(
                compute, &a, &b, &bias, sums, gathered, c, blocks, rows, columns, depth,
            );
        } else {
            last_step::<A, B, A, C, ZEROS, GATHER, ACT>(
                compute, &a, &b, &a, sums, gathered, c, blocks, rows, columns, depth,
            );
        }
        if ACT == RELU {
            compute.pack_relu_none();
        }
    }
}

/// Blocks of any size, sub-block after sub-block. Where there are several steps, the sums of the block are kept in L1, in f32.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // two operands, sums, the result, and sizes
pub fn in_blocks<A: Element, B: Element, C: Element, const ACT: u32>(
    compute: Compute,
    a: CbIn<A>,
    b: CbIn<B>,
    sums_out: CbOut<f32>,
    sums: CbIn<f32>,
    c: CbOut<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    all_blocks::<A, B, A, C, false, false, ACT>(compute, &a, &b, &a, &sums_out, &sums, &sums, &c, blocks, extent, work);
}

/// The same with a bias.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // three operands, sums, the result, and sizes
pub fn in_blocks_with_bias<A: Element, B: Element, C: Element, D: Element, const ACT: u32>(
    compute: Compute,
    a: CbIn<A>,
    b: CbIn<B>,
    bias: CbIn<D>,
    sums_out: CbOut<f32>,
    sums: CbIn<f32>,
    c: CbOut<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    all_blocks::<A, B, D, C, true, false, ACT>(
        compute, &a, &b, &bias, &sums_out, &sums, &sums, &c, blocks, extent, work,
    );
}

/// The same with the sums of another core, which come sub-block after sub-block.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // two operands, sums, the result, and sizes
pub fn in_blocks_gathering<A: Element, B: Element, C: Element, const ACT: u32>(
    compute: Compute,
    a: CbIn<A>,
    b: CbIn<B>,
    sums_out: CbOut<f32>,
    sums: CbIn<f32>,
    gathered: CbIn<f32>,
    c: CbOut<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    all_blocks::<A, B, A, C, false, true, ACT>(
        compute, &a, &b, &a, &sums_out, &sums, &gathered, &c, blocks, extent, work,
    );
}
