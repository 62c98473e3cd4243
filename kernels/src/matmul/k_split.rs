//! The sums along k divided among the cores of a group, for results with fewer blocks than there are cores.
//!
//! The cores of a group compute the same blocks, each from its own part of k, and form a chain: a core adds to its sums what the next one sends, and
//! sends the result to the one before, sub-block after sub-block. The last core begins with the bias; the first has all sums, applies the activation
//! and writes. All products are computed at the same time; only the adding runs down the chain.
//!
//! A pipe sends a block to the place that it has in the sender's buffer. So there are two buffers, each with a pipe, and cores along the chain take
//! turns: what one core fills and sends is the buffer in which the core before receives.
//!
//! Each core reads its operands itself. To multicast them within rectangles that each take a part of k would not read less from memory than the multicast
//! that there is, but use cores which that one leaves idle. By the estimates of [`plan`](mod@super::plan) it is faster for middling results with a long k only
//! (128 x 8192 by 8192 x 128 on 64 cores: 28,000 cycles in place of 37,000; 96 x 6400 by 6400 x 160 on 110: 24,000 in place of 33,000), and not for smaller or larger ones
//! (64 x 8192 by 8192 x 64: as this one; 512 x 4096 by 4096 x 512: as the multicast). Readers and writers would each do both jobs, so that is six kernels more.

use super::build::{Build, Ends, for_activation};
use super::compute::NONE;
use super::movers::read_steps;
use super::plan::Plan;
use super::sizes::{Blocks, Extent, Work};
use super::{Activation, Operands};
use crate::pieces::{piece_at, pieces};
use ttl::prelude::*;

/// Sub-blocks of block `i`.
#[ttl::device]
fn sub_blocks(work: Work, blocks: Blocks, extent: Extent, i: u32) -> u32 {
    let rows = pieces(piece_at(work.top(i, blocks), blocks.m, extent.m), blocks.sub_m);
    let columns = pieces(piece_at(work.left(i, blocks), blocks.n, extent.n), blocks.sub_n);
    rows * columns
}

/// Reads both operands; receives the sums of the next core behind them.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers, a pipe, and sizes
pub fn read_and_receive<A: Element, B: Element>(
    noc: Noc,
    a: TensorAccessor<A>,
    b: TensorAccessor<B>,
    a_out: CbOut<A>,
    b_out: CbOut<B>,
    gathered: CbOut<f32>,
    chain: PipeRx,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in work.first..work.first + work.count {
        read_steps::<A, B>(noc, &a, &b, &a_out, &b_out, blocks, extent, work, i);
        for _ in 0..sub_blocks(work, blocks, extent, i) {
            let mut part = gathered.reserve_back(blocks.registers());
            chain.receive(noc, &mut part);
        }
    }
}

/// Sends the sums to the core before.
#[ttl::kernel(writer)]
pub fn send_sums(
    noc: Noc,
    sums: CbIn<f32>,
    chain: UnicastTx,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in work.first..work.first + work.count {
        for _ in 0..sub_blocks(work, blocks, extent, i) {
            let part = sums.wait_front(blocks.registers());
            chain.send(noc, &part);
        }
    }
}

/// A share of `size`, divided into `pieces` of which the first have one more.
fn share(size: u32, pieces: u32, at: u32) -> (u32, u32) {
    let (each, more) = (size / pieces, size % pieces);
    (at * each + at.min(more), each + u32::from(at < more))
}

/// A buffer whose blocks go from odd to even cores of chains, or from even to odd ones, with its pipe.
struct Link {
    sums: Ends<f32>,
    pipe: UnicastPipe,
}

/// Chains of `parts` cores, each core with a part of the steps of the same blocks.
pub(super) fn build<A: Element, B: Element, C: Element>(
    operands: &Operands<'_, A, B, C>,
    config: ComputeConfig,
    plan: &Plan,
    parts: u32,
) -> Program {
    let [rows, columns, steps] = plan.counts();
    let groups = plan.cores.len() as u32 / parts;
    let cores = plan.cores.clone();
    let mut build = Build::new(operands, config, plan, move |core| {
        let at = cores.position(core).unwrap_or(0) as u32;
        let (first, count) = share(rows * columns, groups, at / parts);
        let (first_step, steps) = share(steps, parts, at % parts);
        Work { first, count, columns, row: 0, column: 0, first_step, steps }
    });
    let place = |part: u32| plan.at(parts, part);
    let mut link = |name: &str, parity: u32| {
        let pairs = (1..parts).filter(|from| from % 2 == parity).flat_map(|from| {
            let (from, to) = (place(from), place(from - 1));
            from.iter().zip(to.iter()).map(|(from, to)| Route::new(from, CoreRange::single(to))).collect::<Vec<_>>()
        });
        let routes: Vec<Route> = pairs.collect();
        let cores: CoreSet = routes.iter().flat_map(|route| route.receivers().chain([route.sender])).collect();
        // In a chain of two nothing goes from an even core.
        (!routes.is_empty()).then(|| Link {
            sums: build.program.circular_buffer::<f32>(name, &cores, 2 * plan.blocks.registers()),
            pipe: build.program.unicast_pipe(name, routes),
        })
    };
    let links = [link("from even", 0), link("from odd", 1)];
    for part in 0..parts {
        let cores = place(part);
        let next = links[(part as usize + 1) % 2].as_ref().filter(|_| part + 1 < parts);
        let own = links[part as usize % 2].as_ref().filter(|_| part > 0);
        match next {
            Some(next) => receive_on(&mut build, &cores, next),
            None => build.read_on(&cores),
        }
        let gathered = next.map(|next| &next.sums.1);
        match own {
            Some(own) => {
                build.blocks_on::<f32, NONE>(&cores, gathered, own.sums.0.clone());
                let kernel = send_sums {
                    sums: own.sums.1.clone(),
                    chain: own.pipe.tx(),
                    blocks: build.blocks,
                    extent: build.extent,
                    work: build.work.clone(),
                };
                build.program.kernel(&cores, kernel);
            }
            None => {
                let c = build.c.0.clone();
                for_activation!(operands.activation, ACT => build.blocks_on::<C, ACT>(&cores, gathered, c));
                build.write_on(&cores);
            }
        }
    }
    build.program
}

fn receive_on<A: Element, B: Element, C: Element>(build: &mut Build<'_, A, B, C>, cores: &CoreSet, next: &Link) {
    let kernel = read_and_receive::<A, B> {
        a: build.operands.a.accessor(),
        b: build.operands.b.accessor(),
        a_out: build.a.0.clone(),
        b_out: build.b.0.clone(),
        gathered: next.sums.0.clone(),
        chain: next.pipe.rx(),
        blocks: build.blocks,
        extent: build.extent,
        work: build.work.clone(),
    };
    build.program.kernel(cores, kernel);
}
