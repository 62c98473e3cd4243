//! Ends of pipes as fields of groups of parameters, and of groups in groups.

use crate::kernels::*;
use crate::range;
use ttl::prelude::*;

/// Blocks of a tensor and where they go.
#[ttl::device]
struct Sending {
    x: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    pipe: PipeTx,
    first: u32,
}

/// Where blocks come from.
#[ttl::device]
struct Receiving {
    pipe: PipeRx,
    x_out: CbOut<bf16>,
}

/// The ends that a core of a ring has.
#[ttl::device]
struct Neighbours {
    next: UnicastTx,
    previous: PipeRx,
}

#[ttl::device]
struct Passing {
    around: Neighbours,
    x: TensorAccessor<bf16>,
    mine_out: CbOut<bf16>,
    mine_in: CbIn<bf16>,
    x_out: CbOut<bf16>,
    first: u32,
}

#[ttl::device]
fn send_block(noc: Noc, to: &Sending, block: u32) {
    let mut tiles = to.x_out.reserve_back(BLOCK);
    read_block(noc, &to.x, &mut tiles, to.first + block * BLOCK);
    to.pipe.send(noc, &tiles);
}

#[ttl::kernel(reader)]
fn send_grouped(noc: Noc, to: Sending) {
    for block in 0..BLOCKS {
        send_block(noc, &to, block);
    }
}

#[ttl::kernel(reader)]
fn receive_grouped(noc: Noc, from: Receiving) {
    for _ in 0..BLOCKS {
        let mut tiles = from.x_out.reserve_back(BLOCK);
        from.pipe.receive(noc, &mut tiles);
    }
}

#[ttl::kernel(reader)]
fn pass_on_grouped(noc: Noc, all: Passing) {
    for block in 0..BLOCKS {
        let mut mine = all.mine_out.reserve_back(BLOCK);
        read_block(noc, &all.x, &mut mine, all.first + block * BLOCK);
        mine.push_back();
        let mine = all.mine_in.wait_front(BLOCK);
        let theirs = all.x_out.reserve_back(BLOCK);
        let arriving = all.around.previous.announce(noc, &theirs);
        all.around.next.send_to(noc, &mine, &theirs);
        arriving.wait();
    }
}

/// The first page of each core's part of a tensor.
fn first_of(set: &CoreSet) -> PerCore<u32> {
    let set = set.clone();
    per_core(move |core| set.position(core).unwrap_or(0) as u32 * BLOCK * BLOCKS)
}

/// As [`along`](crate::kernels::along), with grouped parameters.
fn along_grouped(device: &mut Device) -> ttl::Result<Made> {
    let routes = Route::along_rows(range(1, 0, 3, 1));
    let mut program = Program::new("pipes in groups");
    let pipe = program.pipe("pipe", routes.clone());
    let (senders, receivers) = (pipe.senders(), pipe.receivers());
    let cores = senders.union(&receivers);
    let pages = |cores: &CoreSet| cores.len() as u32 * BLOCK * BLOCKS;
    let x = device.upload::<bf16>("x", &values(pages(&senders))?)?;
    let y = device.zeros::<bf16>("y", &[pages(&cores) as usize * 32, 32])?;
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
    let to = SendingHost { x: x.accessor(), x_out: x_out.clone(), pipe: pipe.tx(), first: first_of(&senders) };
    program.kernel(&senders, send_grouped { to });
    program.kernel(&receivers, receive_grouped { from: ReceivingHost { pipe: pipe.rx(), x_out } });
    program.kernel(&cores, write { y: y.accessor(), x_in, first: first_of(&cores) });
    Ok((program, (y, routes)))
}

/// As [`ring`](crate::kernels::ring), both ends in a group of a group.
fn ring_grouped(device: &mut Device) -> ttl::Result<Made> {
    let routes = Route::ring(&RING);
    let mut program = Program::new("ring in groups");
    let pipe = program.unicast_pipe("next", routes.clone());
    let cores = pipe.senders();
    let pages = cores.len() as u32 * BLOCK * BLOCKS;
    let x = device.upload::<bf16>("x", &values(pages)?)?;
    let y = device.zeros::<bf16>("y", &[pages as usize * 32, 32])?;
    let (mine_out, mine_in) = program.circular_buffer::<bf16>("mine", &cores, BLOCK);
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
    let around = NeighboursHost { next: pipe.tx(), previous: pipe.rx() };
    let first = first_of(&cores);
    let all = PassingHost { around, x: x.accessor(), mine_out, mine_in, x_out, first: first.clone() };
    program.kernel(&cores, pass_on_grouped { all });
    program.kernel(&cores, write { y: y.accessor(), x_in, first });
    Ok((program, (y, routes)))
}

#[test]
fn ends_in_groups_of_parameters() {
    crate::run_everywhere(6, along_grouped);
    crate::run_everywhere(6, ring_grouped);
}

/// What is said about an end that nobody has does not depend on where the others are.
#[test]
fn a_group_without_its_counterpart() {
    let message = crate::invalid(&|program, _| {
        let pipe = program.pipe("p", Route::along_rows(range(0, 0, 2, 1)));
        let cores = pipe.senders().union(&pipe.receivers());
        let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
        program.kernel(&cores, take { x_in });
        program.kernel(pipe.receivers(), receive_grouped { from: ReceivingHost { pipe: pipe.rx(), x_out } });
    });
    crate::says(&message, &["no kernel has the sending end of pipe `p`"]);
}
