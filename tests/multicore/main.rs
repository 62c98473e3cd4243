//! Programs whose cores talk to each other: semaphores, transfers from core to core, multicast; and what is said about mistakes in them.

mod common;
#[path = "../common/golden.rs"]
mod files;
mod kernels;

use kernels::*;
use std::path::Path;
use ttl::prelude::*;
use ttl::runtime::codegen::Lines;
use ttl::runtime::sim::{Launch, Machine, Processor, SemLaunch, ThreadLaunch, ops};
use ttl::runtime::site::Site;

fn archs() -> [Arch; 2] {
    [Arch::blackhole(), Arch::wormhole()]
}

fn options(arch: Arch, schedule: Schedule) -> DeviceOptions {
    DeviceOptions { arch, run: RunOptions { schedule, ..RunOptions::default() }, ..DeviceOptions::default() }
}

/// Every core has got the tiles of all blocks.
#[track_caller]
fn all_got(device: &Device, y: &Tensor<bf16>, cores: usize) {
    let want = tile_values(BLOCK * BLOCKS).expect("a tensor");
    let got = device.download(y).expect("on this device");
    let each = (BLOCK * BLOCKS) as usize * 1024;
    for i in 0..cores * each {
        assert_eq!(got.get(i), want.get(i % each), "core {} of {cores}, element {}", i / each, i % each);
    }
}

#[track_caller]
fn run_everywhere<T>(build: impl Fn(&mut Device) -> ttl::Result<(Program, T)>, check: impl Fn(&Device, &T)) {
    for arch in archs() {
        let schedules = std::iter::once(Schedule::RoundRobin).chain((0..20).map(Schedule::Random));
        for schedule in schedules {
            let ran = ttl::testing::on_both_engines(&options(arch, schedule), &build);
            let (device, made) = ran.unwrap_or_else(|e| panic!("{} {schedule:?}: {e}", arch.name()));
            check(&device, &made);
        }
    }
}

/// The error of the native run, which the generated C++ makes too.
fn error_of(arch: Arch, schedule: Schedule, build: impl Fn(&mut Device) -> ttl::Result<Program>) -> Option<String> {
    let run = |engine| {
        let mut device = Device::with_options(DeviceOptions { engine, ..options(arch, schedule) })?;
        let program = build(&mut device)?.validate(&device)?;
        device.run(&program)
    };
    let native = run(Engine::Native).err()?.to_string();
    let cpp = run(Engine::Cpp).err().map(|e| e.to_string()).unwrap_or_default();
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    assert_eq!(first(&native), first(&cpp), "{native}\n{cpp}");
    Some(native)
}

#[test]
fn a_ring_of_four_cores() {
    run_everywhere(ring, |device, tiles| {
        let got = device.download(tiles).expect("on this device");
        for core in 0..4 {
            for step in 0..4 {
                let want = ((core + 3 - step) % 4 + 1) as f32;
                assert_eq!(got.get((core * 4 + step) * 1024), Some(want), "core {core} after step {step}");
            }
        }
    });
}

#[test]
fn multicast_from_beside_and_from_inside_a_rectangle_on_both_nocs() {
    let layouts = [Layout::beside(), Layout::inside(), Layout::beside().on_noc_1(), Layout::inside().on_noc_1()];
    for layout in layouts {
        let build = |device: &mut Device| multicast(device, layout);
        run_everywhere(build, |device, y| all_got(device, y, layout.cores().len()));
    }
}

#[test]
fn multicast_with_loopback() {
    run_everywhere(loopback, |device, y| all_got(device, y, 6));
}

#[test]
fn a_value_handed_from_core_to_core() {
    let cores = [Core::new(0, 0), Core::new(3, 0), Core::new(2, 4)];
    let set: CoreSet = cores.into_iter().collect();
    let place = move |core: Core| cores.iter().position(|c| *c == core).unwrap_or(0);
    let build = |device: &mut Device| {
        let y = device.zeros::<f32>("y", &[96, 32])?;
        let mut program = Program::new("hand over");
        let (y_out, y_in) = program.circular_buffer::<f32>("y", &set, 1);
        let token = program.semaphore("token", &set, 7);
        let next = per_core(move |core| cores[(place(core) + 1) % 3]);
        let value = per_core(move |core| place(core) as u32 + 7);
        let page = per_core(move |core| place(core) as u32);
        program.kernel(&set, hand_over { token, next, y: y.accessor(), y_out, y_in, value, page });
        Ok((program, y))
    };
    run_everywhere(build, |device, y| {
        let words = device.pages(y.handle()).expect("on this device");
        let of = |page: usize| u32::from_le_bytes(words[page * 4096..page * 4096 + 4].try_into().expect("four bytes"));
        assert_eq!([of(0), of(1), of(2)], [7, 8, 9]);
    });
}

#[test]
fn a_flag_that_is_reset_late_deadlocks_under_some_schedule() {
    for arch in archs() {
        let layout = Layout { receiver: Receiver::ResetsLate, ..Layout::beside() };
        let found = (0..20).find_map(|seed| error_of(arch, Schedule::Random(seed), |d| Ok(multicast(d, layout)?.0)));
        let message = found.expect("one of 20 schedules finds it");
        assert!(message.contains("deadlock"), "{message}");
        assert!(
            message.contains("`receive_reset_late` waits for semaphore `valid` (id 1) to be 1: it is 0"),
            "{message}"
        );
    }
}

#[test]
fn a_wrong_number_of_destinations() {
    for arch in archs() {
        // Counted in the same wrong way on both sides, the handshake itself would deadlock first.
        let layout = Layout { extra: 1, ..Layout::beside() };
        let message = error_of(arch, Schedule::RoundRobin, |d| Ok(multicast(d, layout)?.0)).expect("an error");
        assert!(
            message.contains("deadlock") && message.contains("waits for semaphore `ready` (id 0) to be 7: it is 6"),
            "{message}"
        );
        let flag = |d: &mut Device| changing_flag(d, 5);
        let message = error_of(arch, Schedule::RoundRobin, flag).expect("an error");
        assert!(
            message.contains("5 destinations are announced, the rectangle has 6 cores without the sender"),
            "{message}"
        );
        assert!(message.contains("num_dests must be 6"), "{message}");
    }
}

fn changing_flag(device: &mut Device, receivers: u32) -> ttl::Result<Program> {
    let _ = device;
    let layout = Layout::beside();
    let mut program = Program::new("changing flag");
    let valid = program.semaphore("valid", layout.cores(), 0);
    program.kernel(layout.sender, send_changing_flag { valid, to: layout.to.into(), receivers });
    program.kernel(layout.to, wait_for_flag { valid });
    Ok(program)
}

#[test]
fn a_flag_that_changes_before_it_has_left() {
    for arch in archs() {
        let message = error_of(arch, Schedule::RoundRobin, |d| changing_flag(d, 6)).expect("an error");
        assert!(message.contains("a semaphore is set while its old value is still being sent"), "{message}");
        assert!(message.contains("noc_async_writes_flushed"), "{message}");
    }
}

#[test]
fn data_that_comes_before_there_is_room() {
    let layout = Layout { receiver: Receiver::Unreserved, ..Layout::beside() };
    let schedules = std::iter::once(Schedule::RoundRobin).chain((0..20).map(Schedule::Random));
    let mut found = schedules.filter_map(|s| error_of(Arch::blackhole(), s, |d| Ok(multicast(d, layout)?.0)));
    let message = found.next().expect("an error");
    assert!(message.contains("data arrives outside of the reserved pages of cb `x`"), "{message}");
}

#[test]
fn host_mistakes() {
    let invalid = |build: &dyn Fn(&mut Program)| {
        let device = Device::open().expect("a device");
        let mut program = Program::new("wrong");
        build(&mut program);
        program.validate(&device).expect_err("invalid").to_string()
    };
    let layout = Layout::beside();
    let message = invalid(&|program| {
        let valid = program.semaphore("valid", layout.to, 0);
        program.kernel(layout.cores(), wait_for_flag { valid });
    });
    assert!(message.contains("kernel `wait_for_flag` has semaphore `valid`, which is not on (0,0)"), "{message}");
    let message = invalid(&|program| {
        let valid = program.semaphore("valid", layout.cores(), 0);
        program.kernel(layout.sender, send_changing_flag { valid, to: layout.to.into(), receivers: 6 });
    });
    assert!(message.contains("argument `to` of kernel `send_changing_flag` is (1,1)-(3,2)"), "{message}");
    assert!(message.contains("there is no kernel of the program on core(1,1)"), "{message}");
    let message = invalid(&|program| {
        for i in 0..17 {
            let valid = program.semaphore(&format!("valid {i}"), layout.sender, 0);
            if i == 0 {
                program.kernel(layout.sender, wait_for_flag { valid });
            }
        }
    });
    assert!(message.contains("no id is left for semaphore `valid 16`"), "{message}");
}

/// Calls as hand-written kernels make them, on a core beside two others; what the typed calls cannot do wrong.
fn raw(arch: Arch, noc: u8, body: impl Fn([Core; 2]) + Sync) -> Result<(), String> {
    let cores = [Core::new(0, 0), Core::new(1, 0), Core::new(1, 1)];
    let corners = [cores[1], cores[2]].map(|c| arch.virtual_core(c));
    let sender = || body(corners);
    let idle = || {};
    let thread = |(i, core): (usize, Core)| ThreadLaunch {
        core,
        processor: Processor::Ncrisc,
        noc,
        kernel: "raw".into(),
        entry: if i == 0 { &sender } else { &idle },
        runtime_args: vec![],
        common_args: [].into(),
        compile_args: [].into(),
        config: Default::default(),
        temps: Default::default(),
    };
    let semaphores =
        cores.map(|core| SemLaunch { core, id: 0, name: "".into(), addr: arch.l1_base - 16, init: 1 }).to_vec();
    let threads = cores.into_iter().enumerate().map(thread).collect();
    let launch = Launch { semaphores, threads, ..Launch::default() };
    Machine::new(arch).run(&launch, &RunOptions::default()).map(|_| ()).map_err(|e| e.to_string())
}

#[test]
fn raw_calls() {
    const DATA: u32 = 0x40000;
    let at = Site::UNKNOWN;
    let two = ops::Receivers { num_dests: 2, loopback: false };
    let flag = |start, end, noc| {
        let word = ops::get_semaphore(0, at);
        ops::noc_semaphore_set_multicast(noc, word, ops::noc_addr_multicast(start, end, word, at), two, at);
        ops::noc_async_write_barrier(noc, at);
    };
    for flush in [true, false] {
        for arch in archs() {
            let ran = raw(arch, 0, |[start, end]| {
                let there = ops::noc_addr_multicast(start, end, DATA, at);
                ops::noc_async_write_multicast(0, DATA, there, 64, two, at);
                if flush {
                    ops::noc_async_writes_flushed(0, at);
                }
                flag(start, end, 0);
            });
            match (flush, arch.kind) {
                (false, ArchKind::Blackhole) => {
                    let message = ran.expect_err("the flag may come before the data");
                    assert!(message.contains("a flag is multicast while the data before it has not left"), "{message}");
                }
                _ => ran.expect("no mistake"),
            }
        }
    }
    let arch = Arch::blackhole();
    raw(arch, 1, |[start, end]| flag(end, start, 1)).expect("NoC 1 begins at the bottom right");
    let message = raw(arch, 1, |[start, end]| flag(start, end, 1)).expect_err("swapped");
    assert!(message.contains("has its corners in the wrong order"), "{message}");
    let message = raw(arch, 0, |[start, end]| flag(start, Core::new(end.x + 1, end.y), 0)).expect_err("too wide");
    assert!(message.contains("is in the rectangle and runs no kernel of this program"), "{message}");
    let message = raw(arch, 0, |[start, end]| {
        ops::noc_async_write(0, DATA, ops::noc_addr_multicast(start, end, DATA, at), 64, at);
    });
    let message = message.expect_err("unicast to a rectangle");
    assert!(message.contains("the address is one of a rectangle of cores"), "{message}");
}

#[test]
fn golden() {
    let mut device = Device::open().expect("a device");
    let program = multicast(&mut device, Layout::beside()).expect("a program").0.validate(&device).expect("valid");
    let other = ring(&mut device).expect("a program").0.validate(&device).expect("valid");
    for program in [&program, &other] {
        files::sources("multicore", &program.sources(Lines::Comments).expect("C++"));
    }
}

/// `TTL_EXPORT=DIR cargo test --test multicore export` writes the programs for the real TT-Metalium, with our results.
#[test]
fn export() {
    let keep = std::env::var_os("TTL_EXPORT");
    let temporary = tempfile::tempdir().expect("a directory");
    let dir = keep.as_ref().map_or(temporary.path(), Path::new);
    for arch in archs() {
        let at = |name: &str| dir.join(format!("{name}_{}", arch.name()));
        let exact = Tolerance { max_abs: Some(0.0), ..Tolerance::default() };
        let mut device = Device::with_options(options(arch, Schedule::RoundRobin)).expect("a device");
        for (name, layout) in
            [("beside", Layout::beside()), ("inside", Layout::inside()), ("beside_noc_1", Layout::beside().on_noc_1())]
        {
            let (program, y) = multicast(&mut device, layout).expect("a program");
            let program = program.validate(&device).expect("valid");
            device.run(&program).expect("it runs");
            let result = device.download(&y).expect("on this device");
            program.export(&device, &at(name), &[(y.handle(), &result)], exact).expect("written");
        }
        let (program, tiles) = ring(&mut device).expect("a program");
        let program = program.validate(&device).expect("valid");
        device.run(&program).expect("it runs");
        let result = device.download(&tiles).expect("on this device");
        program.export(&device, &at("ring"), &[(tiles.handle(), &result)], exact).expect("written");
        let (program, y) = loopback(&mut device).expect("a program");
        let program = program.validate(&device).expect("valid");
        device.run(&program).expect("it runs");
        let result = device.download(&y).expect("on this device");
        program.export(&device, &at("loopback"), &[(y.handle(), &result)], exact).expect("written");
    }
}
