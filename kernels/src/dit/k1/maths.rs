//! The compute engine of a compute core: one matrix product after the other, `y = x w + bias` for 64 rows of x, with GELU behind ff1.
//!
//! A core has one or two column tiles of an operation. Its sums stay in the tile registers (f32) over all of K, a K-block of weights at a
//! time; the bias stands there before the first product. Everything is rounded to bf16 once, when it is packed.

use super::plan::{Constants, Run, a_pages, geometry};
use super::weights::BIAS_TILES;
use crate::dit::consts::N_CHUNKS;
use crate::dit::op::{In0Order, Op};
use ttl::prelude::*;

/// Tiles of an output block: 2 x 2, of which an operation with one column uses the first two.
pub const OUT_TILES: u32 = 4;

/// Puts the bias into the registers of 2 x `ct` tiles. As a sum with zeros: the chip cannot broadcast a bf16 tile alone into f32 registers.
#[ttl::device]
fn start(regs: &mut TileRegs, zeros: &Front<bf16>, bias: &Front<bf16>, ct: u32) {
    for r in 0..2 {
        for c in 0..ct {
            regs.add_tiles_bcast_rows(zeros, bias, 0, c, r * ct + c);
        }
    }
}

/// Adds the products of `blocks` K-blocks, the first of which begins at column tile `first` of `x`: a matrix of `columns` column tiles in the
/// given order.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // two operands, their order, and how much of them
fn k_blocks<W: Element>(
    regs: &mut TileRegs,
    x: &Front<bf16>,
    w: &CbIn<W>,
    order: In0Order,
    columns: u32,
    blocks: u32,
    ct: u32,
    banks: u32,
) {
    // From a tile of the first row to the one below it.
    let down = order.page_of(1, 0, columns) - order.page_of(0, 0, columns);
    for block in 0..blocks {
        let w = w.wait_front(ct * banks);
        for i in 0..banks {
            regs.matmul_block(x, &w, order.page_of(0, block * banks + i, columns), i * ct, 0, ct, 2, down);
        }
    }
}

/// Rounds the registers into an output block.
#[ttl::device]
fn finish(regs: &mut PackRegs, out: &CbOut<bf16>, ct: u32) {
    let mut block = out.reserve_back(OUT_TILES);
    for i in 0..2 * ct {
        regs.pack_tile_at(i, &mut block, i);
    }
}

/// The products of a compute core, operation by operation, with bias and GELU.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // three operands, two outputs, and what the launch is
pub fn maths<W: Element>(
    compute: Compute,
    x_in: CbIn<bf16>,
    a_in: CbIn<bf16>,
    w_in: CbIn<W>,
    bias_in: CbIn<bf16>,
    zeros_in: CbIn<bf16>,
    ff1_out: CbOut<bf16>,
    mm_out: CbOut<bf16>,
    table: CommonWords,
    #[ttl(common)] run: Run,
    #[ttl(compile_time)] constants: Constants,
    index: u32,
) {
    let banks = constants.banks;
    let zeros = zeros_in.wait_front(1);
    let x = x_in.wait_front(run.x_tiles);
    for visit in 0..run.visits() {
        for j in run.first_op()..run.end_op() {
            let op = geometry(&table, banks, 1, run.blk(visit), j);
            if op.set.participates(banks, index) {
                let mut regs = compute.acquire();
                {
                    let bias = bias_in.wait_front(BIAS_TILES);
                    start(&mut regs, &zeros, &bias, op.ct);
                }
                if !run.is_chain() || op.op == Op::Qkv && run.from_x(visit) {
                    k_blocks(
                        &mut regs,
                        &x,
                        &w_in,
                        In0Order::RowMajorWrap,
                        run.x_tiles / 2,
                        op.k_blocks(),
                        op.ct,
                        banks,
                    );
                } else if op.op == Op::Ff2 {
                    for _ in 0..N_CHUNKS {
                        let a = a_in.wait_front(a_pages(banks) / 2);
                        k_blocks(&mut regs, &a, &w_in, In0Order::Pairs, 0, op.k_blocks() / N_CHUNKS, op.ct, banks);
                    }
                } else {
                    let order = if op.op == Op::Wo { In0Order::Pairs } else { In0Order::Single };
                    let a = a_in.wait_front(a_pages(banks));
                    k_blocks(&mut regs, &a, &w_in, order, 0, op.k_blocks(), op.ct, banks);
                }
                if op.gelu {
                    for i in 0..2 * op.ct {
                        regs.gelu_tanh_tile(i);
                    }
                }
                let mut regs = regs.commit();
                if run.is_chain() && op.op == Op::Ff1 {
                    finish(&mut regs, &ff1_out, op.ct);
                } else {
                    finish(&mut regs, &mm_out, op.ct);
                }
            }
        }
    }
}
