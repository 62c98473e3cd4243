//! Both ends of a pipe must use the same pages of the buffer: what is said when they do not, by both engines.

use crate::kernels::*;
use ttl::prelude::*;

/// Is a block ahead of its receivers: one block stays on this core.
#[ttl::kernel(reader)]
fn send_after_one_of_its_own(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, pipe: PipeTx) {
    let mut tiles = x_out.reserve_back(BLOCK);
    read_block(noc, &x, &mut tiles, 0);
    tiles.push_back();
    for block in 1..BLOCKS {
        let mut tiles = x_out.reserve_back(BLOCK);
        read_block(noc, &x, &mut tiles, block * BLOCK);
        pipe.send(noc, &tiles);
    }
}

/// Takes blocks of `pages` pages.
#[ttl::kernel(reader)]
fn receive_pages(noc: Noc, x_out: CbOut<bf16>, pipe: PipeRx, pages: u32) {
    for _ in 0..BLOCKS * BLOCK / pages {
        let mut tiles = x_out.reserve_back(pages);
        pipe.receive(noc, &mut tiles);
        tiles.push_back();
    }
}

/// The same in a ring of two, a block ahead.
#[ttl::kernel(reader)]
fn pass_on_ahead(noc: Noc, x_out: CbOut<bf16>, next: UnicastTx, previous: PipeRx, ahead: u32) {
    for _ in 0..ahead {
        x_out.reserve_back(BLOCK).push_back();
    }
    let tiles = x_out.reserve_back(BLOCK);
    let arriving = previous.announce(noc, &tiles);
    next.send(noc, &tiles);
    arriving.wait();
    tiles.push_back();
}

#[ttl::kernel(writer)]
fn take_pages(_noc: Noc, x_in: CbIn<bf16>, pages: u32) {
    for _ in 0..pages {
        x_in.wait_front(1).pop_front();
    }
}

/// One error, in both engines.
#[track_caller]
fn error(schedule: Schedule, build: impl Fn(&mut Device) -> ttl::Result<Program>) -> String {
    let run = |engine| {
        let run = RunOptions { schedule, ..RunOptions::default() };
        let mut device = Device::with_options(DeviceOptions { engine, run, ..DeviceOptions::default() })?;
        let program = build(&mut device)?.validate(&device)?;
        device.run(&program)
    };
    let [native, cpp] = [Engine::Native, Engine::Cpp].map(|e| run(e).expect_err("an error").to_string());
    let what = |text: &str| {
        text.lines()
            .filter(|l| l.starts_with("error") || l.trim_start().starts_with("= "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(what(&native), what(&cpp), "{native}\n{cpp}");
    native
}

fn pages(device: &mut Device) -> ttl::Result<Tensor<bf16>> {
    device.upload::<bf16>("x", &values(BLOCK * BLOCKS)?)
}

fn route() -> Route {
    Route::new(Core::new(0, 0), CoreRange::new(Core::new(1, 0), Core::new(2, 0)))
}

const SCHEDULES: [Schedule; 4] = [Schedule::RoundRobin, Schedule::Random(1), Schedule::Random(2), Schedule::Uneven(3)];

#[test]
fn a_sender_that_is_ahead() {
    for schedule in SCHEDULES {
        let message = error(schedule, |device| {
            let x = pages(device)?;
            let mut program = Program::new("ahead");
            let pipe = program.pipe("weights", [route()]);
            let cores = pipe.senders().union(&pipe.receivers());
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
            let code = send_after_one_of_its_own { x: x.accessor(), x_out: x_out.clone(), pipe: pipe.tx() };
            program.kernel(pipe.senders(), code);
            program.kernel(pipe.receivers(), receive { x_out, pipe: pipe.rx() });
            program.kernel(&cores, take { x_in });
            Ok(program)
        });
        for part in [
            "a block of pipe `weights` does not arrive where core(",
            "has reserved room for it",
            "pipe.send(noc, &tiles)",
            "pipe.receive(noc, &mut tiles)",
            "sent to 2 pages from page 2 of cb `x` (id 0) on",
            "reserved there: 2 pages from page 0 of cb `x` (id 0) on",
            "use the buffer in step",
        ] {
            assert!(message.contains(part), "`{part}` is not in:\n{message}");
        }
    }
}

#[test]
fn blocks_of_two_sizes() {
    for (size, reserved) in [(1, "1 page from page 0"), (4, "4 pages from page 0")] {
        let message = error(Schedule::RoundRobin, |device| {
            let x = pages(device)?;
            let mut program = Program::new("sizes");
            let pipe = program.pipe("p", [route()]);
            let cores = pipe.senders().union(&pipe.receivers());
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
            let code = send { x: x.accessor(), x_out: x_out.clone(), pipe: pipe.tx(), first: 0.into() };
            program.kernel(pipe.senders(), code);
            program.kernel(pipe.receivers(), receive_pages { x_out, pipe: pipe.rx(), pages: size.into() });
            program.kernel(&cores, take_pages { x_in, pages: (BLOCK * BLOCKS).into() });
            Ok(program)
        });
        assert!(message.contains("sent to 2 pages from page 0"), "{message}");
        assert!(message.contains(&format!("reserved there: {reserved}")), "{message}");
    }
}

#[test]
fn a_ring_out_of_step() {
    let build = |ahead: [u32; 2]| {
        move |_: &mut Device| {
            let cores = [Core::new(0, 0), Core::new(1, 0)];
            let mut program = Program::new("ring");
            let pipe = program.unicast_pipe("next", Route::ring(&cores));
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", pipe.senders(), 2 * BLOCK);
            let ahead = move |core: Core| ahead[core.x as usize];
            let code = pass_on_ahead { x_out, next: pipe.tx(), previous: pipe.rx(), ahead: per_core(ahead) };
            program.kernel(pipe.senders(), code);
            let pages = per_core(move |core| BLOCK * (1 + ahead(core)));
            program.kernel(pipe.senders(), take_pages { x_in, pages });
            Ok(program)
        }
    };
    // Both a block ahead is in step.
    let device = DeviceOptions::default();
    for ahead in [[0, 0], [1, 1]] {
        let made = |d: &mut Device| Ok((build(ahead)(d)?, ()));
        ttl::testing::on_both_engines(&device, made).unwrap_or_else(|e| panic!("{ahead:?}: {e}"));
    }
    let message = error(Schedule::RoundRobin, build([0, 1]));
    assert!(message.contains("a block of pipe `next` does not arrive where core("), "{message}");
}
