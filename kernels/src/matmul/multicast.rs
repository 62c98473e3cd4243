//! Each block of `a` and `b` is read from device memory once. Cores of a row need the same blocks of `a`, cores of a column the same blocks of `b`:
//! the first core of each row reads those of `a` and sends them along the row, the first core of each column reads those of `b`, and the bias,
//! and sends them down the column.
//!
//! Readers move `a` over NoC 0; writers move `b` and the result over NoC 1, so that the two multicasts do not share a network.

use super::Operands;
use super::build::Build;
use super::movers::{read_a, read_b, read_bias, write_result};
use super::plan::Plan;
use super::sizes::{Blocks, Extent, Work};
use ttl::prelude::*;

/// First core of a row: reads `a` and sends it along, if the row has other cores.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // a tensor, its buffer and pipe, and sizes
pub fn send_a(
    noc: Noc,
    a: TensorAccessor<bf16>,
    a_out: CbOut<bf16>,
    along: PipeTx,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in 0..work.count {
        for step in 0..work.steps {
            let mut block = a_out.reserve_back(blocks.m * blocks.k);
            read_a(noc, &a, &mut block, blocks, extent, work.top(i, blocks), step);
            if along.receivers() > 0 {
                along.send(noc, &block);
            }
        }
    }
}

/// The other cores of a row.
#[ttl::kernel(reader)]
pub fn receive_a(noc: Noc, a_out: CbOut<bf16>, along: PipeRx, #[ttl(compile_time)] blocks: Blocks, work: Work) {
    for _ in 0..work.count * work.steps {
        let mut block = a_out.reserve_back(blocks.m * blocks.k);
        along.receive(noc, &mut block);
    }
}

/// First core of a column: reads `b` and the bias and sends them down, if the column has other cores; writes the result.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // three tensors, their buffers, a pipe, and sizes
pub fn send_b<B: Element, const BIAS: bool>(
    noc: Noc,
    b: TensorAccessor<B>,
    bias: TensorAccessor<bf16>,
    b_out: CbOut<B>,
    bias_out: CbOut<bf16>,
    down: PipeTx,
    c: TensorAccessor<bf16>,
    c_in: CbIn<bf16>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in 0..work.count {
        let (top, left) = (work.top(i, blocks), work.left(i, blocks));
        if BIAS {
            let mut row = bias_out.reserve_back(blocks.n + 1);
            read_bias(noc, &bias, &mut row, blocks, extent, left);
            if down.receivers() > 0 {
                down.send(noc, &row);
            }
        }
        for step in 0..work.steps {
            let mut block = b_out.reserve_back(blocks.k * blocks.n);
            read_b(noc, &b, &mut block, blocks, extent, left, step);
            if down.receivers() > 0 {
                down.send(noc, &block);
            }
        }
        write_result::<bf16>(noc, &c, &c_in, blocks, extent, top, left);
    }
}

/// The other cores of a column.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // buffers, a pipe, a tensor, and sizes
pub fn receive_b<B: Element, const BIAS: bool>(
    noc: Noc,
    b_out: CbOut<B>,
    bias_out: CbOut<bf16>,
    down: PipeRx,
    c: TensorAccessor<bf16>,
    c_in: CbIn<bf16>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in 0..work.count {
        if BIAS {
            let mut row = bias_out.reserve_back(blocks.n + 1);
            down.receive(noc, &mut row);
        }
        for _ in 0..work.steps {
            let mut block = b_out.reserve_back(blocks.k * blocks.n);
            down.receive(noc, &mut block);
        }
        write_result::<bf16>(noc, &c, &c_in, blocks, extent, work.top(i, blocks), work.left(i, blocks));
    }
}

/// `rows` x `columns` blocks on each core of a rectangle.
pub(super) fn build<B: Element, const BIAS: bool>(
    operands: &Operands<'_, B>,
    config: ComputeConfig,
    plan: &Plan,
    cores: CoreRange,
    [rows, columns]: [u32; 2],
) -> Program {
    let [_, _, steps] = plan.counts();
    let corner = cores.first();
    let mut build = Build::new(operands, config, plan, move |core| {
        let (row, column) = ((core.y - corner.y) * rows, (core.x - corner.x) * columns);
        Work { first: 0, count: rows * columns, columns, row, column, first_step: 0, steps }
    });
    let (blocks, extent) = (build.blocks, build.extent);

    let pipe = build.program.pipe("along", Route::along_rows(cores));
    let a_out = build.a.0.clone();
    let sender = send_a {
        a: operands.a.accessor(),
        a_out: a_out.clone(),
        along: pipe.tx(),
        blocks,
        extent,
        work: build.work.clone(),
    };
    build.program.kernel(pipe.senders(), sender);
    if !pipe.receivers().is_empty() {
        let receiver = receive_a { a_out, along: pipe.rx(), blocks, work: build.work.clone() };
        build.program.kernel(pipe.receivers(), receiver);
    }

    let pipe = build.program.pipe("down", Route::down_columns(cores));
    let (b_out, bias_out, c_in) = (build.b.0.clone(), build.bias.0.clone(), build.c.1.clone());
    let sender = send_b::<B, BIAS> {
        b: operands.b.accessor(),
        bias: build.bias_tensor().accessor(),
        b_out: b_out.clone(),
        bias_out: bias_out.clone(),
        down: pipe.tx(),
        c: operands.c.accessor(),
        c_in: c_in.clone(),
        blocks,
        extent,
        work: build.work.clone(),
    };
    build.program.kernel(pipe.senders(), sender);
    if !pipe.receivers().is_empty() {
        let receiver = receive_b::<B, BIAS> {
            b_out,
            bias_out,
            down: pipe.rx(),
            c: operands.c.accessor(),
            c_in,
            blocks,
            extent,
            work: build.work.clone(),
        };
        build.program.kernel(pipe.receivers(), receiver);
    }
    build.compute::<BIAS>(&plan.cores);
    build.program
}
