//! Kernels that talk to other cores, and programs of them.

use ttl::prelude::*;

/// A ring, step by step: this core's tile goes to the next core, the previous core's tile comes here. It begins with page `place` of
/// `start`; page `place * steps + step` of `tiles` is the tile that this core has after the step.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn pass_on(
    noc: Noc,
    start: TensorAccessor<f32>,
    tiles: TensorAccessor<f32>,
    mine_out: CbOut<f32>,
    mine_in: CbIn<f32>,
    theirs_out: CbOut<f32>,
    theirs_in: CbIn<f32>,
    room: Semaphore,
    full: Semaphore,
    next: NocCore,
    previous: NocCore,
    place: u32,
    #[ttl(common)] steps: u32,
) {
    let first = place * steps;
    for step in 0..steps {
        let mut mine = mine_out.reserve_back(1);
        if step == 0 {
            noc.read_page(&start, place, &mut mine).wait();
        } else {
            noc.read_page(&tiles, first + step - 1, &mut mine).wait();
        }
        mine.push_back();
        let mine = mine_in.wait_front(1);
        let theirs = theirs_out.reserve_back(1);
        noc.semaphore_inc(&room, previous, 1);
        room.wait_min(step + 1);
        noc.write_to_core_at(&mine, &theirs, next).flushed();
        noc.semaphore_inc(&full, next, 1);
        full.wait_min(step + 1);
        theirs.push_back();
        let got = theirs_in.wait_front(1);
        noc.write_page(&tiles, first + step, &got).wait();
    }
    noc.atomic_barrier();
}

/// The four cores of the ring, in its order.
pub(crate) const RING: [Core; 4] = [Core::new(0, 0), Core::new(1, 0), Core::new(1, 1), Core::new(0, 1)];

/// Tile `i` of the ring is full of `i + 1` before it starts.
pub(crate) fn ring(device: &mut Device) -> ttl::Result<(Program, Tensor<f32>)> {
    let steps = 4;
    let start = HostTensor::from_fn([128, 32], |at| (at / 1024 + 1) as f32)?;
    let start = device.upload::<f32>("start", &start)?;
    let tiles = device.zeros::<f32>("tiles", &[16 * 32, 32])?;
    let cores: CoreSet = RING.into_iter().collect();
    let mut program = Program::new("ring");
    let (mine_out, mine_in) = program.circular_buffer::<f32>("mine", &cores, 1);
    let (theirs_out, theirs_in) = program.circular_buffer::<f32>("theirs", &cores, 2);
    let place = |core: Core| RING.iter().position(|c| *c == core).unwrap_or(0);
    let (room, full) = (program.semaphore("room", &cores, 0), program.semaphore("full", &cores, 0));
    program.kernel(
        &cores,
        pass_on {
            start: start.accessor(),
            tiles: tiles.accessor(),
            mine_out,
            mine_in,
            theirs_out,
            theirs_in,
            room,
            full,
            next: per_core(move |core| RING[(place(core) + 1) % 4]),
            previous: per_core(move |core| RING[(place(core) + 3) % 4]),
            place: per_core(move |core| place(core) as u32),
            steps,
        },
    );
    Ok((program, tiles))
}

#[ttl::device]
#[allow(clippy::too_many_arguments)]
pub(crate) fn send_blocks<const BLOCK: u32>(
    noc: Noc,
    x: &TensorAccessor<bf16>,
    x_out: &CbOut<bf16>,
    ready: &Semaphore,
    valid: &Semaphore,
    to: NocRange,
    receivers: u32,
    blocks: u32,
) {
    // What the receivers get, and what this core's word is for ever.
    valid.set(1);
    for block in 0..blocks {
        let mut tiles = x_out.reserve_back(BLOCK);
        let mut reads = noc.read_into(&mut tiles);
        for i in 0..BLOCK {
            reads.page(x, block * BLOCK + i, i);
        }
        reads.wait();
        ready.wait(receivers);
        ready.set(0);
        let sent = noc.write_multicast(&tiles, to, receivers);
        noc.semaphore_set_multicast(valid, to, receivers);
        sent.flushed();
    }
}

/// Reads blocks and sends each to a rectangle of cores, once all of them have room for it.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn send<const BLOCK: u32>(
    noc: Noc,
    x: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    valid: Semaphore,
    to: NocRange,
    #[ttl(common)] receivers: u32,
    #[ttl(common)] blocks: u32,
) {
    send_blocks::<BLOCK>(noc, &x, &x_out, &ready, &valid, to, receivers, blocks);
}

/// The same on the other NoC.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn send_on_noc_1<const BLOCK: u32>(
    noc: Noc,
    x: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    valid: Semaphore,
    to: NocRange,
    #[ttl(common)] receivers: u32,
    #[ttl(common)] blocks: u32,
) {
    send_blocks::<BLOCK>(noc, &x, &x_out, &ready, &valid, to, receivers, blocks);
}

/// Takes the blocks.
#[ttl::kernel(reader)]
pub(crate) fn receive<const BLOCK: u32>(
    noc: Noc,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    valid: Semaphore,
    sender: NocCore,
    #[ttl(common)] blocks: u32,
) {
    for _ in 0..blocks {
        let tiles = x_out.reserve_back(BLOCK);
        valid.set(0);
        noc.semaphore_inc(&ready, sender, 1);
        valid.wait(1);
        tiles.push_back();
    }
}

/// Takes the blocks, but resets its flag when the sender may have set it already.
#[ttl::kernel(reader)]
pub(crate) fn receive_reset_late<const BLOCK: u32>(
    noc: Noc,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    valid: Semaphore,
    sender: NocCore,
    #[ttl(common)] blocks: u32,
) {
    for _ in 0..blocks {
        let tiles = x_out.reserve_back(BLOCK);
        noc.semaphore_inc(&ready, sender, 1);
        valid.set(0);
        valid.wait(1);
        tiles.push_back();
    }
}

/// Says that there is room before there is.
#[ttl::kernel(reader)]
pub(crate) fn receive_unreserved<const BLOCK: u32>(
    noc: Noc,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    valid: Semaphore,
    sender: NocCore,
    #[ttl(common)] blocks: u32,
) {
    for _ in 0..blocks {
        valid.set(0);
        noc.semaphore_inc(&ready, sender, 1);
        valid.wait(1);
        x_out.reserve_back(BLOCK).push_back();
    }
}

/// Writes what its core got to pages of its own.
#[ttl::kernel(writer)]
pub(crate) fn drain<const BLOCK: u32>(
    noc: Noc,
    y: TensorAccessor<bf16>,
    x_in: CbIn<bf16>,
    first: u32,
    #[ttl(common)] blocks: u32,
) {
    for block in 0..blocks {
        let tiles = x_in.wait_front(BLOCK);
        let mut writes = noc.write_from(&tiles);
        for i in 0..BLOCK {
            writes.page(&y, first + block * BLOCK + i, i);
        }
        writes.flushed();
    }
}

/// The same as a reader, beside a sender on NoC 1.
#[ttl::kernel(reader)]
pub(crate) fn drain_on_noc_0<const BLOCK: u32>(
    noc: Noc,
    y: TensorAccessor<bf16>,
    x_in: CbIn<bf16>,
    first: u32,
    #[ttl(common)] blocks: u32,
) {
    for block in 0..blocks {
        let tiles = x_in.wait_front(BLOCK);
        let mut writes = noc.write_from(&tiles);
        for i in 0..BLOCK {
            writes.page(&y, first + block * BLOCK + i, i);
        }
        writes.flushed();
    }
}

/// Both ends of the handshake on the sender too: its own copy comes over the NoC.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn send_to_all<const BLOCK: u32>(
    noc: Noc,
    x: TensorAccessor<bf16>,
    stage_out: CbOut<bf16>,
    stage_in: CbIn<bf16>,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    valid: Semaphore,
    to: NocRange,
    #[ttl(common)] cores: u32,
    #[ttl(common)] blocks: u32,
) {
    for block in 0..blocks {
        let mut stage = stage_out.reserve_back(BLOCK);
        let mut reads = noc.read_into(&mut stage);
        for i in 0..BLOCK {
            reads.page(&x, block * BLOCK + i, i);
        }
        reads.wait();
        stage.push_back();
        let stage = stage_in.wait_front(BLOCK);
        let tiles = x_out.reserve_back(BLOCK);
        ready.wait(cores - 1);
        ready.set(0);
        valid.set(1);
        noc.write_multicast_loopback_src(&stage, &tiles, to, cores).wait();
        noc.semaphore_set_multicast_loopback_src(&valid, to, cores);
        noc.writes_flushed();
        valid.wait(1);
    }
}

/// Changes its flag while it is being sent.
#[ttl::kernel(reader)]
pub(crate) fn send_changing_flag(noc: Noc, valid: Semaphore, to: NocRange, #[ttl(common)] receivers: u32) {
    valid.set(1);
    noc.semaphore_set_multicast(&valid, to, receivers);
    valid.set(0);
}

#[ttl::kernel(reader)]
pub(crate) fn wait_for_flag(_noc: Noc, valid: Semaphore) {
    valid.wait(1);
}

/// Takes a value and gives one more to the next core.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn hand_over(
    noc: Noc,
    token: Semaphore,
    next: NocCore,
    y: TensorAccessor<f32>,
    y_out: CbOut<f32>,
    y_in: CbIn<f32>,
    value: u32,
    page: u32,
) {
    token.wait_min(value);
    let mut tile = y_out.reserve_back(1);
    for word in 0..1024 {
        tile.write_u32(word, value);
    }
    tile.push_back();
    let tile = y_in.wait_front(1);
    noc.write_page(&y, page, &tile).flushed();
    token.set(value + 1);
    noc.semaphore_set_remote(&token, next);
    noc.writes_flushed();
}

pub(crate) const BLOCK: u32 = 2;
pub(crate) const BLOCKS: u32 = 5;

/// What a multicast program is made of.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) sender: Core,
    pub(crate) to: CoreRange,
    /// Cores that the sender counts beyond those that there are.
    pub(crate) extra: u32,
    pub(crate) receiver: Receiver,
    pub(crate) noc: u8,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Receiver {
    Right,
    ResetsLate,
    Unreserved,
}

impl Layout {
    /// From beside a rectangle of 3 x 2 cores.
    pub(crate) fn beside() -> Layout {
        let to = CoreRange::new(Core::new(1, 1), Core::new(3, 2));
        Layout { sender: Core::new(0, 0), to, extra: 0, receiver: Receiver::Right, noc: 0 }
    }

    /// From inside of it.
    pub(crate) fn inside() -> Layout {
        Layout { sender: Core::new(2, 1), ..Layout::beside() }
    }

    pub(crate) fn on_noc_1(self) -> Layout {
        Layout { noc: 1, ..self }
    }

    pub(crate) fn cores(&self) -> CoreSet {
        CoreSet::from(self.to).union(&self.sender.into())
    }

    fn receivers(&self) -> CoreSet {
        CoreSet::from(self.to).difference(&self.sender.into())
    }
}

pub(crate) fn tile_values(pages: u32) -> ttl::Result<HostTensor> {
    HostTensor::from_fn([pages as usize * 32, 32], |i| (i / 1024) as f32 * 8.0 + (i % 7) as f32).map_err(Into::into)
}

/// Blocks from a sender to all cores of a layout, each of which writes what it got.
pub(crate) fn multicast(device: &mut Device, layout: Layout) -> ttl::Result<(Program, Tensor<bf16>)> {
    let cores = layout.cores();
    let each = BLOCK * BLOCKS;
    let x = device.upload::<bf16>("x", &tile_values(each)?)?;
    let y = device.zeros::<bf16>("y", &[cores.len() * each as usize * 32, 32])?;
    let mut program = Program::new("multicast");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
    let ready = program.semaphore("ready", &cores, 0);
    let valid = program.semaphore("valid", &cores, 0);
    let receivers = layout.receivers().len() as u32 + layout.extra;
    let (to, blocks) = (layout.to.into(), BLOCKS);
    let all = cores.clone();
    let first = per_core(move |core| all.position(core).unwrap_or(0) as u32 * each);
    let x = x.accessor();
    if layout.noc == 0 {
        let code = send::<BLOCK> { x, x_out: x_out.clone(), ready, valid, to, receivers, blocks };
        program.kernel(layout.sender, code);
        let code = drain::<BLOCK> { y: y.accessor(), x_in: x_in.clone(), first: first.clone(), blocks };
        program.kernel(layout.sender, code);
    } else {
        let code = send_on_noc_1::<BLOCK> { x, x_out: x_out.clone(), ready, valid, to, receivers, blocks };
        program.kernel(layout.sender, code);
        let code = drain_on_noc_0::<BLOCK> { y: y.accessor(), x_in: x_in.clone(), first: first.clone(), blocks };
        program.kernel(layout.sender, code);
    }
    let (others, sender) = (layout.receivers(), layout.sender.into());
    match layout.receiver {
        Receiver::Right => program.kernel(&others, receive::<BLOCK> { x_out, ready, valid, sender, blocks }),
        Receiver::ResetsLate => {
            program.kernel(&others, receive_reset_late::<BLOCK> { x_out, ready, valid, sender, blocks });
        }
        Receiver::Unreserved => {
            program.kernel(&others, receive_unreserved::<BLOCK> { x_out, ready, valid, sender, blocks });
        }
    }
    program.kernel(&others, drain::<BLOCK> { y: y.accessor(), x_in, first, blocks });
    Ok((program, y))
}

/// As [`multicast`] from inside, with the sender's copy over the NoC.
pub(crate) fn loopback(device: &mut Device) -> ttl::Result<(Program, Tensor<bf16>)> {
    let layout = Layout::inside();
    let cores = layout.cores();
    let each = BLOCK * BLOCKS;
    let x = device.upload::<bf16>("x", &tile_values(each)?)?;
    let y = device.zeros::<bf16>("y", &[cores.len() * each as usize * 32, 32])?;
    let mut program = Program::new("loopback");
    let (stage_out, stage_in) = program.circular_buffer::<bf16>("stage", layout.sender, BLOCK);
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
    let ready = program.semaphore("ready", &cores, 0);
    let valid = program.semaphore("valid", &cores, 0);
    let code = send_to_all::<BLOCK> {
        x: x.accessor(),
        stage_out,
        stage_in,
        x_out: x_out.clone(),
        ready,
        valid,
        to: layout.to.into(),
        cores: cores.len() as u32,
        blocks: BLOCKS,
    };
    program.kernel(layout.sender, code);
    let sender = layout.sender.into();
    program.kernel(layout.receivers(), receive::<BLOCK> { x_out, ready, valid, sender, blocks: BLOCKS });
    let all = cores.clone();
    let first = per_core(move |core| all.position(core).unwrap_or(0) as u32 * each);
    program.kernel(&cores, drain::<BLOCK> { y: y.accessor(), x_in, first, blocks: BLOCKS });
    Ok((program, y))
}
