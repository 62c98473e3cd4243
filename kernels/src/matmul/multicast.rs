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
pub fn send_a<A: Element>(
    noc: Noc,
    a: TensorAccessor<A>,
    a_out: CbOut<A>,
    along: PipeTx,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in 0..work.count {
        for step in 0..work.steps {
            let mut block = a_out.reserve_back(blocks.m * blocks.k);
            read_a::<A>(noc, &a, &mut block, blocks, extent, work.top(i, blocks), step);
            if along.receivers() > 0 {
                along.send(noc, &block);
            }
        }
    }
}

/// The other cores of a row.
#[ttl::kernel(reader)]
pub fn receive_a<A: Element>(
    noc: Noc,
    a_out: CbOut<A>,
    along: PipeRx,
    #[ttl(compile_time)] blocks: Blocks,
    work: Work,
) {
    for _ in 0..work.count * work.steps {
        let mut block = a_out.reserve_back(blocks.m * blocks.k);
        along.receive(noc, &mut block);
    }
}

/// Reads the blocks of `b` for one block of the result and sends them down.
#[ttl::device]
#[allow(clippy::too_many_arguments)] // a tensor, its buffer, a pipe, and sizes
fn send_steps<B: Element>(
    noc: Noc,
    b: &TensorAccessor<B>,
    b_out: &CbOut<B>,
    down: &PipeTx,
    blocks: Blocks,
    extent: Extent,
    left: u32,
    steps: u32,
) {
    for step in 0..steps {
        let mut block = b_out.reserve_back(blocks.k * blocks.n);
        read_b::<B>(noc, b, &mut block, blocks, extent, left, step);
        if down.receivers() > 0 {
            down.send(noc, &block);
        }
    }
}

#[ttl::device]
fn receive_steps<B: Element>(noc: Noc, b_out: &CbOut<B>, down: &PipeRx, blocks: Blocks, steps: u32) {
    for _ in 0..steps {
        let mut block = b_out.reserve_back(blocks.k * blocks.n);
        down.receive(noc, &mut block);
    }
}

/// First core of a column: reads `b` and sends it down, if the column has other cores; writes the result.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers, a pipe, and sizes
pub fn send_b<B: Element, C: Element>(
    noc: Noc,
    b: TensorAccessor<B>,
    b_out: CbOut<B>,
    down: PipeTx,
    c: TensorAccessor<C>,
    c_in: CbIn<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in 0..work.count {
        let left = work.left(i, blocks);
        send_steps::<B>(noc, &b, &b_out, &down, blocks, extent, left, work.steps);
        write_result::<C>(noc, &c, &c_in, blocks, extent, work.top(i, blocks), left);
    }
}

/// The other cores of a column.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // a buffer, a pipe, a tensor, and sizes
pub fn receive_b<B: Element, C: Element>(
    noc: Noc,
    b_out: CbOut<B>,
    down: PipeRx,
    c: TensorAccessor<C>,
    c_in: CbIn<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in 0..work.count {
        receive_steps::<B>(noc, &b_out, &down, blocks, work.steps);
        write_result::<C>(noc, &c, &c_in, blocks, extent, work.top(i, blocks), work.left(i, blocks));
    }
}

/// As [`send_b`](fn@send_b), with the bias before the blocks of `b`, through a pipe of its own.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // three tensors, their buffers, two pipes, and sizes
pub fn send_b_and_bias<B: Element, C: Element, D: Element>(
    noc: Noc,
    b: TensorAccessor<B>,
    bias: TensorAccessor<D>,
    b_out: CbOut<B>,
    bias_out: CbOut<D>,
    down: PipeTx,
    bias_down: PipeTx,
    c: TensorAccessor<C>,
    c_in: CbIn<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in 0..work.count {
        let left = work.left(i, blocks);
        let mut row = bias_out.reserve_back(blocks.n + 1);
        read_bias::<D>(noc, &bias, &mut row, blocks, extent, left);
        if bias_down.receivers() > 0 {
            bias_down.send(noc, &row);
        }
        row.push_back();
        send_steps::<B>(noc, &b, &b_out, &down, blocks, extent, left, work.steps);
        write_result::<C>(noc, &c, &c_in, blocks, extent, work.top(i, blocks), left);
    }
}

/// As [`receive_b`](fn@receive_b), with the bias.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)] // buffers, two pipes, a tensor, and sizes
pub fn receive_b_and_bias<B: Element, C: Element, D: Element>(
    noc: Noc,
    b_out: CbOut<B>,
    bias_out: CbOut<D>,
    down: PipeRx,
    bias_down: PipeRx,
    c: TensorAccessor<C>,
    c_in: CbIn<C>,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in 0..work.count {
        let mut row = bias_out.reserve_back(blocks.n + 1);
        bias_down.receive(noc, &mut row);
        row.push_back();
        receive_steps::<B>(noc, &b_out, &down, blocks, work.steps);
        write_result::<C>(noc, &c, &c_in, blocks, extent, work.top(i, blocks), work.left(i, blocks));
    }
}

/// `rows` x `columns` blocks on each core of a rectangle.
pub(super) fn build<A: Element, B: Element, C: Element>(
    operands: &Operands<'_, A, B, C>,
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
    let sender = send_a::<A> {
        a: operands.a.accessor(),
        a_out: a_out.clone(),
        along: pipe.tx(),
        blocks,
        extent,
        work: build.work.clone(),
    };
    build.program.kernel(pipe.senders(), sender);
    if !pipe.receivers().is_empty() {
        let receiver = receive_a::<A> { a_out, along: pipe.rx(), blocks, work: build.work.clone() };
        build.program.kernel(pipe.receivers(), receiver);
    }

    let down = build.program.pipe("down", Route::down_columns(cores));
    let (senders, receivers) = (down.senders(), down.receivers());
    let (b, c, work) = (operands.b.accessor(), operands.c.accessor(), build.work.clone());
    let (b_out, c_in) = (build.b.0.clone(), build.c.1.clone());
    let Some((bias, bias_out)) = operands.bias.zip(build.bias.as_ref().map(|b| b.0.clone())) else {
        let sender = send_b::<B, C> {
            b,
            b_out: b_out.clone(),
            down: down.tx(),
            c: c.clone(),
            c_in: c_in.clone(),
            blocks,
            extent,
            work: work.clone(),
        };
        build.program.kernel(senders, sender);
        if !receivers.is_empty() {
            let receiver = receive_b::<B, C> { b_out, down: down.rx(), c, c_in, blocks, extent, work };
            build.program.kernel(receivers, receiver);
        }
        build.compute(&plan.cores);
        return build.program;
    };
    let bias_down = build.program.pipe("bias down", Route::down_columns(cores));
    let sender = send_b_and_bias::<B, C, C> {
        b,
        bias: bias.accessor(),
        b_out: b_out.clone(),
        bias_out: bias_out.clone(),
        down: down.tx(),
        bias_down: bias_down.tx(),
        c: c.clone(),
        c_in: c_in.clone(),
        blocks,
        extent,
        work: work.clone(),
    };
    build.program.kernel(senders, sender);
    if !receivers.is_empty() {
        let (down, bias_down) = (down.rx(), bias_down.rx());
        let receiver =
            receive_b_and_bias::<B, C, C> { b_out, bias_out, down, bias_down, c, c_in, blocks, extent, work };
        build.program.kernel(receivers, receiver);
    }
    build.compute(&plan.cores);
    build.program
}
