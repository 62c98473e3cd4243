//! The sums along k divided among the cores of a group, for results with fewer blocks than there are cores.
//!
//! The cores of a group compute the same blocks, each from its own part of k, and form a chain: a core adds to its sums what the next one sends, and
//! sends the result to the one before, sub-block after sub-block. The first core has them all; it adds the bias, applies the activation and
//! writes. All products are computed at the same time; only the adding runs down the chain.
//!
//! A pipe sends a block to the place that it has in the sender's buffer. So there are two buffers, and cores along the chain take turns: what one
//! core fills and sends is the buffer in which the core before receives.

use super::build::{Build, Ends, for_activation};
use super::compute::NONE;
use super::movers::{read_bias, read_steps};
use super::plan::Plan;
use super::sizes::{Blocks, Extent, Work, pieces, there};
use super::{Activation, Operands};
use ttl::prelude::*;

/// Sub-blocks of block `i`.
#[ttl::device]
fn sub_blocks(work: Work, blocks: Blocks, extent: Extent, i: u32) -> u32 {
    let rows = pieces(there(work.top(i, blocks), blocks.m, extent.m), blocks.sub_m);
    let columns = pieces(there(work.left(i, blocks), blocks.n, extent.n), blocks.sub_n);
    rows * columns
}

/// Reads both operands, and the bias before them; receives the sums of the next core behind them.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // three tensors, their buffers, a pipe, and sizes
pub fn read_and_receive<B: Element, const BIAS: bool>(
    noc: Noc,
    a: TensorAccessor<bf16>,
    b: TensorAccessor<B>,
    bias: TensorAccessor<bf16>,
    a_out: CbOut<bf16>,
    b_out: CbOut<B>,
    bias_out: CbOut<bf16>,
    gathered: CbOut<f32>,
    chain: PipeRx,
    #[ttl(compile_time)] blocks: Blocks,
    #[ttl(common)] extent: Extent,
    work: Work,
) {
    for i in work.first..work.first + work.count {
        if BIAS {
            let mut row = bias_out.reserve_back(blocks.n + 1);
            read_bias(noc, &bias, &mut row, blocks, extent, work.left(i, blocks));
        }
        read_steps(noc, &a, &b, &a_out, &b_out, blocks, extent, work, i);
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

/// Where a core stands in its chain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    First,
    /// Even or odd.
    Middle(u32),
    Last,
}

impl Place {
    fn of(part: u32, parts: u32) -> Place {
        match part {
            0 => Place::First,
            part if part == parts - 1 => Place::Last,
            part => Place::Middle(part % 2),
        }
    }
}

/// A share of `size`, divided into `pieces` of which the first have one more.
fn share(size: u32, pieces: u32, at: u32) -> (u32, u32) {
    let (each, more) = (size / pieces, size % pieces);
    (at * each + at.min(more), each + u32::from(at < more))
}

/// Chains of `parts` cores, each core with a part of the steps of the same blocks.
pub(super) fn build<B: Element, const BIAS: bool>(
    operands: &Operands<'_, B>,
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
    let chains = plan.cores.as_slice().chunks(parts as usize);
    let pairs = chains.flat_map(|chain| chain.iter().zip(&chain[1..]));
    let routes: Vec<Route> = pairs.map(|(to, from)| Route::new(*from, CoreRange::single(*to))).collect();
    let chain = build.program.unicast_pipe("chain", routes);
    let mut buffer = |name| build.program.circular_buffer::<f32>(name, &plan.cores, 2 * plan.blocks.registers());
    let [even, odd] = [buffer("even"), buffer("odd")];
    for place in [Place::First, Place::Middle(0), Place::Middle(1), Place::Last] {
        let here = |at: usize| Place::of(at as u32 % parts, parts) == place;
        let cores: CoreSet = plan.cores.iter().enumerate().filter(|(at, _)| here(*at)).map(|(_, core)| core).collect();
        if cores.is_empty() {
            continue;
        }
        let parity = match place {
            Place::First => 0,
            Place::Middle(parity) => parity,
            Place::Last => (parts - 1) % 2,
        };
        let (own, next) = if parity == 0 { (&even, &odd) } else { (&odd, &even) };
        match place {
            Place::First => {
                receive_on::<B, BIAS>(&mut build, &cores, next, &chain);
                for_activation!(operands.activation, ACT => {
                    let c = build.c.0.clone();
                    build.blocks_on::<bf16, BIAS, true, ACT>(&cores, Some(&next.1), c);
                });
                build.write_on(&cores);
                continue;
            }
            Place::Middle(_) => {
                receive_on::<B, false>(&mut build, &cores, next, &chain);
                build.blocks_on::<f32, false, true, NONE>(&cores, Some(&next.1), own.0.clone());
            }
            Place::Last => {
                build.read_on::<false>(&cores);
                build.blocks_on::<f32, false, false, NONE>(&cores, None, own.0.clone());
            }
        }
        let kernel = send_sums {
            sums: own.1.clone(),
            chain: chain.tx(),
            blocks: build.blocks,
            extent: build.extent,
            work: build.work.clone(),
        };
        build.program.kernel(&cores, kernel);
    }
    build.program
}

fn receive_on<B: Element, const BIAS: bool>(
    build: &mut Build<'_, B>,
    cores: &CoreSet,
    next: &Ends<f32>,
    chain: &UnicastPipe,
) {
    let kernel = read_and_receive::<B, BIAS> {
        a: build.operands.a.accessor(),
        b: build.operands.b.accessor(),
        bias: build.bias_tensor().accessor(),
        a_out: build.a.0.clone(),
        b_out: build.b.0.clone(),
        bias_out: build.bias.0.clone(),
        gathered: next.0.clone(),
        chain: chain.rx(),
        blocks: build.blocks,
        extent: build.extent,
        work: build.work.clone(),
    };
    build.program.kernel(cores, kernel);
}
