//! Kernels whose blocks go through pipes, and programs of them.

use ttl::prelude::*;

/// A program with its result and its routes.
pub(crate) type Made = (Program, (Tensor<bf16>, Vec<Route>));

pub(crate) const BLOCK: u32 = 2;
pub(crate) const BLOCKS: u32 = 4;

#[ttl::device]
pub(crate) fn read_block(noc: Noc, x: &TensorAccessor<bf16>, block: &mut Reserved<bf16>, first: u32) {
    let mut reads = noc.read_into(block);
    for i in 0..BLOCK {
        reads.page(x, first + i, i);
    }
    reads.wait();
}

/// Reads this core's blocks and sends them.
#[ttl::kernel(reader)]
pub(crate) fn send(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, pipe: PipeTx, first: u32) {
    for block in 0..BLOCKS {
        let mut tiles = x_out.reserve_back(BLOCK);
        read_block(noc, &x, &mut tiles, first + block * BLOCK);
        pipe.send(noc, &tiles);
    }
}

#[ttl::kernel(writer)]
pub(crate) fn send_on_noc_1(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, pipe: PipeTx, first: u32) {
    for block in 0..BLOCKS {
        let mut tiles = x_out.reserve_back(BLOCK);
        read_block(noc, &x, &mut tiles, first + block * BLOCK);
        pipe.send(noc, &tiles);
    }
}

#[ttl::device]
fn receive_blocks(noc: Noc, x_out: &CbOut<bf16>, pipe: &PipeRx) {
    for _ in 0..BLOCKS {
        let mut tiles = x_out.reserve_back(BLOCK);
        pipe.receive(noc, &mut tiles);
        tiles.push_back();
    }
}

/// Takes the blocks, in a device function.
#[ttl::kernel(reader)]
pub(crate) fn receive(noc: Noc, x_out: CbOut<bf16>, pipe: PipeRx) {
    receive_blocks(noc, &x_out, &pipe);
}

#[ttl::kernel(reader)]
pub(crate) fn write_on_noc_0(noc: Noc, y: TensorAccessor<bf16>, x_in: CbIn<bf16>, first: u32) {
    write_blocks(noc, &y, &x_in, first);
}

#[ttl::device]
fn write_blocks(noc: Noc, y: &TensorAccessor<bf16>, x_in: &CbIn<bf16>, first: u32) {
    for block in 0..BLOCKS {
        let tiles = x_in.wait_front(BLOCK);
        let mut writes = noc.write_from(&tiles);
        for i in 0..BLOCK {
            writes.page(y, first + block * BLOCK + i, i);
        }
        writes.flushed();
    }
}

/// Writes what its core got to pages of its own.
#[ttl::kernel(writer)]
pub(crate) fn write(noc: Noc, y: TensorAccessor<bf16>, x_in: CbIn<bf16>, first: u32) {
    write_blocks(noc, &y, &x_in, first);
}

/// The sender's own copy comes over the NoC.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn send_to_all(
    noc: Noc,
    x: TensorAccessor<bf16>,
    stage_out: CbOut<bf16>,
    stage_in: CbIn<bf16>,
    x_out: CbOut<bf16>,
    pipe: PipeTx,
    first: u32,
) {
    for block in 0..BLOCKS {
        let mut stage = stage_out.reserve_back(BLOCK);
        read_block(noc, &x, &mut stage, first + block * BLOCK);
        stage.push_back();
        let stage = stage_in.wait_front(BLOCK);
        let mut tiles = x_out.reserve_back(BLOCK);
        pipe.send_loopback(noc, &stage, &mut tiles);
    }
}

/// A ring: this core's tiles go to the next core, those of the previous core come here, `steps` times.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn pass_on(
    noc: Noc,
    x: TensorAccessor<bf16>,
    mine_out: CbOut<bf16>,
    mine_in: CbIn<bf16>,
    x_out: CbOut<bf16>,
    next: UnicastTx,
    previous: PipeRx,
    first: u32,
) {
    for block in 0..BLOCKS {
        let mut mine = mine_out.reserve_back(BLOCK);
        read_block(noc, &x, &mut mine, first + block * BLOCK);
        mine.push_back();
        let mine = mine_in.wait_front(BLOCK);
        let theirs = x_out.reserve_back(BLOCK);
        // Every core receives and sends: say that there is room before waiting for the next core's.
        exchange(noc, &next, &previous, &mine, &theirs);
    }
}

#[ttl::device]
fn exchange(noc: Noc, next: &UnicastTx, previous: &PipeRx, mine: &Front<bf16>, theirs: &Reserved<bf16>) {
    let arriving = previous.announce(noc, theirs);
    next.send_to(noc, mine, theirs);
    arriving.wait();
}

/// Receives into a buffer of its own, which is not the sender's.
#[ttl::kernel(reader)]
pub(crate) fn receive_elsewhere(noc: Noc, other_out: CbOut<bf16>, pipe: PipeRx) {
    receive_blocks(noc, &other_out, &pipe);
}

#[ttl::kernel(writer)]
pub(crate) fn take(_noc: Noc, x_in: CbIn<bf16>) {
    for _ in 0..BLOCKS {
        x_in.wait_front(BLOCK).pop_front();
    }
}

/// Blocks from the senders of a pipe to all cores of their routes, each of which writes what it got.
pub(crate) fn along(device: &mut Device, routes: Vec<Route>, noc: u8) -> ttl::Result<Made> {
    let mut program = Program::new("pipes");
    let pipe = program.pipe("pipe", routes.clone());
    let (senders, receivers) = (pipe.senders(), pipe.receivers());
    let cores = senders.union(&receivers);
    let each = BLOCK * BLOCKS;
    let x = device.upload::<bf16>("x", &values(senders.len() as u32 * each)?)?;
    let y = device.zeros::<bf16>("y", &[cores.len() * each as usize * 32, 32])?;
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
    let of = |set: &CoreSet| {
        let set = set.clone();
        per_core(move |core| set.position(core).unwrap_or(0) as u32 * each)
    };
    let (from, first) = (of(&senders), of(&cores));
    if noc == 0 {
        program.kernel(&senders, send { x: x.accessor(), x_out: x_out.clone(), pipe: pipe.tx(), first: from });
        program.kernel(&senders, write { y: y.accessor(), x_in: x_in.clone(), first: first.clone() });
    } else if noc == 2 {
        // The processors of reader and writer, each on the other's NoC.
        let code = send_reader_noc_1 { x: x.accessor(), x_out: x_out.clone(), pipe: pipe.tx(), first: from };
        program.kernel(&senders, code);
        program.kernel(&senders, write_noc_0 { y: y.accessor(), x_in: x_in.clone(), first: first.clone() });
    } else {
        program.kernel(&senders, send_on_noc_1 { x: x.accessor(), x_out: x_out.clone(), pipe: pipe.tx(), first: from });
        program.kernel(&senders, write_on_noc_0 { y: y.accessor(), x_in: x_in.clone(), first: first.clone() });
    }
    program.kernel(&receivers, receive { x_out, pipe: pipe.rx() });
    program.kernel(&receivers, write { y: y.accessor(), x_in, first });
    Ok((program, (y, routes)))
}

pub(crate) fn loopback(device: &mut Device) -> ttl::Result<Made> {
    let routes = vec![Route::new(Core::new(2, 1), CoreRange::new(Core::new(1, 1), Core::new(3, 2)))];
    let mut program = Program::new("loopback");
    let pipe = program.pipe("pipe", routes.clone());
    let (senders, receivers) = (pipe.senders(), pipe.receivers());
    let cores = senders.union(&receivers);
    let each = BLOCK * BLOCKS;
    let x = device.upload::<bf16>("x", &values(each)?)?;
    let y = device.zeros::<bf16>("y", &[cores.len() * each as usize * 32, 32])?;
    let (stage_out, stage_in) = program.circular_buffer::<bf16>("stage", &senders, BLOCK);
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
    let all = cores.clone();
    let first = per_core(move |core| all.position(core).unwrap_or(0) as u32 * each);
    let code =
        send_to_all { x: x.accessor(), stage_out, stage_in, x_out: x_out.clone(), pipe: pipe.tx(), first: 0.into() };
    program.kernel(&senders, code);
    program.kernel(&receivers, receive { x_out, pipe: pipe.rx() });
    program.kernel(&cores, write { y: y.accessor(), x_in, first });
    Ok((program, (y, routes)))
}

pub(crate) const RING: [Core; 4] = [Core::new(0, 0), Core::new(1, 0), Core::new(1, 1), Core::new(0, 1)];

pub(crate) fn ring(device: &mut Device) -> ttl::Result<Made> {
    let routes = Route::ring(&RING);
    let mut program = Program::new("ring");
    let pipe = program.unicast_pipe("next", routes.clone());
    let cores = pipe.senders();
    let each = BLOCK * BLOCKS;
    let x = device.upload::<bf16>("x", &values(cores.len() as u32 * each)?)?;
    let y = device.zeros::<bf16>("y", &[cores.len() * each as usize * 32, 32])?;
    let (mine_out, mine_in) = program.circular_buffer::<bf16>("mine", &cores, BLOCK);
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
    let all = cores.clone();
    let first = per_core(move |core| all.position(core).unwrap_or(0) as u32 * each);
    let code = pass_on {
        x: x.accessor(),
        mine_out,
        mine_in,
        x_out,
        next: pipe.tx(),
        previous: pipe.rx(),
        first: first.clone(),
    };
    program.kernel(&cores, code);
    program.kernel(&cores, write { y: y.accessor(), x_in, first });
    Ok((program, (y, routes)))
}

pub(crate) fn values(pages: u32) -> ttl::Result<HostTensor> {
    HostTensor::from_fn([pages as usize * 32, 32], |i| (i / 1024) as f32 + (i % 7) as f32 * 0.125).map_err(Into::into)
}

/// A reader on the other NoC, beside a writer on this one.
#[ttl::kernel(reader, noc = 1)]
pub(crate) fn send_reader_noc_1(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, pipe: PipeTx, first: u32) {
    for block in 0..BLOCKS {
        let mut tiles = x_out.reserve_back(BLOCK);
        read_block(noc, &x, &mut tiles, first + block * BLOCK);
        pipe.send(noc, &tiles);
    }
}

#[ttl::kernel(writer, noc = 0)]
pub(crate) fn write_noc_0(noc: Noc, y: TensorAccessor<bf16>, x_in: CbIn<bf16>, first: u32) {
    write_blocks(noc, &y, &x_in, first);
}
