//! Cores that are the same for all cores of a kernel: `#[ttl(common)]` on a core and on a rectangle of cores.

use crate::kernels::*;
use ttl::prelude::*;

/// Sends to a rectangle that is a common argument.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)]
fn send_common<const BLOCK: u32>(
    noc: Noc,
    x: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    valid: Semaphore,
    #[ttl(common)] to: NocRange,
    #[ttl(common)] receivers: u32,
    #[ttl(common)] blocks: u32,
) {
    send_blocks::<BLOCK>(noc, &x, &x_out, &ready, &valid, to, receivers, blocks);
}

/// The same on the other NoC, for which the host swaps the corners.
#[ttl::kernel(writer)]
#[allow(clippy::too_many_arguments)]
fn send_common_on_noc_1<const BLOCK: u32>(
    noc: Noc,
    x: TensorAccessor<bf16>,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    valid: Semaphore,
    #[ttl(common)] to: NocRange,
    #[ttl(common)] receivers: u32,
    #[ttl(common)] blocks: u32,
) {
    send_blocks::<BLOCK>(noc, &x, &x_out, &ready, &valid, to, receivers, blocks);
}

/// Takes the blocks of a sender that is a common argument, between others.
#[ttl::kernel(reader)]
fn receive_common<const BLOCK: u32>(
    noc: Noc,
    x_out: CbOut<bf16>,
    ready: Semaphore,
    valid: Semaphore,
    #[ttl(common)] blocks: u32,
    #[ttl(common)] sender: NocCore,
    #[ttl(common)] factor: u32,
) {
    for _ in 0..blocks / factor {
        let tiles = x_out.reserve_back(BLOCK);
        valid.set(0);
        noc.semaphore_inc(&ready, sender, 1);
        valid.wait(1);
        tiles.push_back();
    }
}

fn program(device: &mut Device, layout: Layout) -> ttl::Result<(Program, Tensor<bf16>)> {
    let (cores, each) = (layout.cores(), BLOCK * BLOCKS);
    let x = device.upload::<bf16>("x", &tile_values(each)?)?;
    let y = device.zeros::<bf16>("y", &[cores.len() * each as usize * 32, 32])?;
    let mut program = Program::new("common cores");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
    let (ready, valid) = (program.semaphore("ready", &cores, 0), program.semaphore("valid", &cores, 0));
    let others = cores.difference(&layout.sender.into());
    let (to, receivers, blocks) = (layout.to, others.len() as u32, BLOCKS);
    let all = cores.clone();
    let first = per_core(move |core| all.position(core).unwrap_or(0) as u32 * each);
    let x = x.accessor();
    let (out, input) = (x_out.clone(), x_in.clone());
    if layout.noc == 0 {
        program.kernel(layout.sender, send_common::<BLOCK> { x, x_out: out, ready, valid, to, receivers, blocks });
        program.kernel(layout.sender, drain::<BLOCK> { y: y.accessor(), x_in: input, first: first.clone(), blocks });
    } else {
        let code = send_common_on_noc_1::<BLOCK> { x, x_out: out, ready, valid, to, receivers, blocks };
        program.kernel(layout.sender, code);
        let code = drain_on_noc_0::<BLOCK> { y: y.accessor(), x_in: input, first: first.clone(), blocks };
        program.kernel(layout.sender, code);
    }
    let code = receive_common::<BLOCK> { x_out, ready, valid, blocks: 2 * blocks, sender: layout.sender, factor: 2 };
    program.kernel(&others, code);
    program.kernel(&others, drain::<BLOCK> { y: y.accessor(), x_in, first, blocks });
    Ok((program, y))
}

#[test]
fn a_core_and_a_rectangle_for_all_cores() {
    for layout in [Layout::beside(), Layout::inside(), Layout::beside().on_noc_1(), Layout::inside().on_noc_1()] {
        let build = |device: &mut Device| program(device, layout);
        crate::run_everywhere(build, |device, y| crate::all_got(device, y, layout.cores().len()));
    }
}

/// They are common words, and none of the cores' own.
#[test]
fn words_of_common_cores() {
    let mut device = Device::open().expect("a device");
    let (program, _) = program(&mut device, Layout::beside().on_noc_1()).expect("a program");
    let program = program.validate(&device).expect("valid");
    let kernel = |name: &str| program.checked().kernels().iter().find(|k| &*k.name == name).expect("a kernel");
    let at = |core| device.arch().virtual_core(core);
    let (sender, receiver) = (kernel("send_common_on_noc_1"), kernel("receive_common"));
    let (first, last) = (at(Core::new(1, 1)), at(Core::new(3, 2)));
    // NoC 1 begins at the bottom right. The first word is the tensor's address.
    assert_eq!(sender.common_args[1..5], [last.x, last.y, first.x, first.y]);
    let from = at(Core::new(0, 0));
    assert_eq!(receiver.common_args[..], [2 * BLOCKS, from.x, from.y, 2]);
    assert!(sender.runtime_args.iter().chain(&receiver.runtime_args).all(Vec::is_empty));
}

/// A common core must be one of the program, as any other.
#[test]
fn a_common_core_without_a_kernel() {
    let mut device = Device::open().expect("a device");
    let layout = Layout { to: CoreRange::new(Core::new(1, 1), Core::new(30, 2)), ..Layout::beside() };
    let message =
        program(&mut device, layout).expect("a program").0.validate(&device).expect_err("too wide").to_string();
    assert!(message.contains("argument `to` of kernel `send_common`"), "{message}");
    assert!(message.contains("there is no core of the device on"), "{message}");
}
