//! Pipes: blocks from one core to many without a protocol written by hand, and what is said about pipes that cannot work.

mod ends;
#[path = "../common/golden.rs"]
mod files;
mod groups;
mod kernels;

use kernels::*;
use std::path::Path;
use ttl::prelude::*;
use ttl::runtime::codegen::Lines;

fn archs() -> [Arch; 2] {
    [Arch::blackhole(), Arch::wormhole()]
}

fn options(arch: Arch, schedule: Schedule) -> DeviceOptions {
    DeviceOptions { arch, run: RunOptions { schedule, ..RunOptions::default() }, ..DeviceOptions::default() }
}

type Made = (Tensor<bf16>, Vec<Route>);

/// Every core of every route has got the blocks of its sender.
#[track_caller]
fn all_got(device: &Device, (y, routes): &Made) {
    let each = (BLOCK * BLOCKS) as usize * 1024;
    let senders: CoreSet = routes.iter().map(|r| r.sender).collect();
    let cores: CoreSet = routes.iter().flat_map(|r| r.receivers()).chain(senders.iter()).collect();
    let want = values(senders.len() as u32 * BLOCK * BLOCKS).expect("a tensor").to_format(DataFormat::Bf16);
    let got = device.download(y).expect("on this device");
    for (at, core) in cores.iter().enumerate() {
        // In a ring every sender receives as well: what came counts.
        let route = routes.iter().find(|r| r.receivers().any(|c| c == core));
        let sender = route.map_or(core, |r| r.sender);
        let from = senders.position(sender).expect("a sender");
        for i in 0..each {
            assert_eq!(got.get(at * each + i), want.get(from * each + i), "{core}, element {i}");
        }
    }
}

#[track_caller]
fn run_everywhere(schedules: u64, build: impl Fn(&mut Device) -> ttl::Result<(Program, Made)>) {
    for arch in archs() {
        for schedule in std::iter::once(Schedule::RoundRobin).chain((0..schedules).map(Schedule::Random)) {
            let ran = ttl::testing::on_both_engines(&options(arch, schedule), &build);
            let (device, made) = ran.unwrap_or_else(|e| panic!("{} {schedule:?}: {e}", arch.name()));
            all_got(&device, &made);
        }
    }
}

fn range(x0: u32, y0: u32, x1: u32, y1: u32) -> CoreRange {
    CoreRange::new(Core::new(x0, y0), Core::new(x1, y1))
}

#[test]
fn first_core_of_each_row_to_the_rest_and_first_of_each_column() {
    for noc in [0, 1, 2] {
        run_everywhere(6, |d| along(d, Route::along_rows(range(1, 0, 4, 2)), noc));
        run_everywhere(4, |d| along(d, Route::down_columns(range(0, 1, 1, 3)), noc));
    }
}

#[test]
fn a_sender_beside_and_inside_its_rectangle() {
    for noc in [0, 1] {
        for sender in [Core::new(0, 0), Core::new(2, 1)] {
            run_everywhere(4, |d| along(d, vec![Route::new(sender, range(1, 1, 3, 2))], noc));
        }
    }
}

#[test]
fn loopback_to_the_sender() {
    run_everywhere(8, loopback);
}

#[test]
fn a_ring_whose_cores_send_and_receive() {
    run_everywhere(12, ring);
}

#[track_caller]
fn invalid(build: &dyn Fn(&mut Program, &mut Device)) -> String {
    let mut device = Device::open().expect("a device");
    let mut program = Program::new("wrong");
    build(&mut program, &mut device);
    program.validate(&device).expect_err("invalid").to_string()
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
}

#[test]
fn routes_that_cannot_be() {
    let row = range(1, 0, 3, 0);
    let of = |routes: Vec<Route>| invalid(&move |p, _| drop(p.pipe("p", routes.clone())));
    says(&of(vec![]), &["pipe `p` has no routes", "`Route::alone`"]);
    let alone = invalid(&|p, _| drop(p.unicast_pipe("p", vec![Route::alone(Core::new(2, 2))])));
    says(&alone, &["core(2,2) sends to nobody but itself"]);
    let two = vec![Route::new(Core::new(0, 0), row), Route::new(Core::new(0, 1), row)];
    says(&of(two), &["core(1,0) receives from core(0,0) and core(0,1)", "make a pipe for each"]);
    let twice = vec![Route::new(Core::new(0, 0), row), Route::new(Core::new(0, 0), range(1, 1, 3, 1))];
    says(&of(twice), &["pipe `p` has two routes from core(0,0)", "(1,0)-(3,0) and to (1,1)-(3,1)"]);
    says(&of(Route::ring(&RING)), &["both send and receive", "unicast pipe"]);
    let many = invalid(&|p, _| drop(p.unicast_pipe("p", vec![Route::new(Core::new(0, 0), row)])));
    says(&many, &["unicast pipe `p`: core(0,0) has several receivers", "`Program::pipe`"]);
}

/// A sender without receivers has a pipe, but nothing to send.
#[test]
fn sending_to_nobody() {
    let mut device = Device::open().expect("a device");
    let x = device.upload::<bf16>("x", &values(8).expect("values")).expect("it fits");
    let mut program = Program::new("alone");
    let pipe = program.pipe("p", [Route::alone(Core::new(1, 1))]);
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", pipe.senders(), 2 * BLOCK);
    program.kernel(pipe.senders(), send { x: x.accessor(), x_out, pipe: pipe.tx(), first: 0.into() });
    program.kernel(pipe.senders(), take { x_in });
    let program = program.validate(&device).expect("valid");
    let message = device.run(&program).expect_err("an error").to_string();
    says(&message, &["the pipe has nobody to send to from this core", "`pipe.receivers() > 0`"]);
}

#[test]
fn ends_that_are_missing_or_misplaced() {
    let routes = || Route::along_rows(range(0, 0, 2, 1));
    let parts = |program: &mut Program, device: &mut Device| {
        let x = device.upload::<bf16>("x", &values(8).expect("values")).expect("it fits");
        let pipe = program.pipe("p", routes());
        let cores = pipe.senders().union(&pipe.receivers());
        let (x_out, x_in) = program.circular_buffer::<bf16>("x", &cores, 2 * BLOCK);
        program.kernel(&cores, take { x_in });
        (x, pipe, x_out)
    };
    let message = invalid(&|program, device| {
        let (x, pipe, x_out) = parts(program, device);
        program.kernel(pipe.senders(), send { x: x.accessor(), x_out, pipe: pipe.tx(), first: 0.into() });
    });
    says(&message, &["no kernel has the receiving end of pipe `p` on (1,0)-(2,1)", "waits for ever"]);
    let message = invalid(&|program, device| {
        let (_, pipe, x_out) = parts(program, device);
        let all = pipe.senders().union(&pipe.receivers());
        program.kernel(all, receive { x_out, pipe: pipe.rx() });
    });
    says(
        &message,
        &[
            "kernel `receive` has the receiving end of pipe `p` on (0,0)-(0,1), where nothing receives",
            "pipe.receivers()",
        ],
    );
    let message = invalid(&|program, device| {
        let (x, pipe, x_out) = parts(program, device);
        let (other_out, _) = program.circular_buffer::<bf16>("other", pipe.receivers(), 2 * BLOCK);
        program.kernel(pipe.senders(), send { x: x.accessor(), x_out, pipe: pipe.tx(), first: 0.into() });
        program.kernel(pipe.receivers(), receive_elsewhere { other_out, pipe: pipe.rx() });
    });
    says(&message, &["pipe `p` carries blocks of two circular buffers, `x` and `other`", "one circular buffer"]);
    let message = invalid(&|program, device| {
        let (x, pipe, x_out) = parts(program, device);
        program
            .kernel(pipe.senders(), send { x: x.accessor(), x_out: x_out.clone(), pipe: pipe.tx(), first: 0.into() });
        for _ in 0..2 {
            program.kernel(pipe.receivers(), receive { x_out: x_out.clone(), pipe: pipe.rx() });
        }
    });
    says(
        &message,
        &[
            "kernels `receive` and `receive` both have the receiving end of pipe `p` on (1,0)-(2,1)",
            "an end of a pipe has one kernel on each core",
        ],
    );
    let message = invalid(&|program, device| {
        let x = device.upload::<bf16>("x", &values(8).expect("values")).expect("it fits");
        let pipe = program.pipe("p", routes());
        let (x_out, x_in) = program.circular_buffer::<bf16>("x", pipe.senders(), 2 * BLOCK);
        program.kernel(pipe.senders(), take { x_in });
        program
            .kernel(pipe.senders(), send { x: x.accessor(), x_out: x_out.clone(), pipe: pipe.tx(), first: 0.into() });
        program.kernel(pipe.receivers(), receive { x_out, pipe: pipe.rx() });
    });
    says(
        &message,
        &["pipe `p` carries blocks of `x`, which is not on (1,0)-(2,1)", "declare the buffer on all cores of the pipe"],
    );
}

#[test]
fn too_many_pipes_for_the_semaphores_of_a_core() {
    let message = invalid(&|program, _| {
        for i in 0..9 {
            program.pipe(&format!("p{i}"), Route::along_rows(range(0, 0, 2, 0)));
        }
    });
    says(
        &message,
        &[
            "no id is left for semaphore `p8 (ready)`",
            "a core has 16 semaphores",
            "`p0 (ready)`, `p0 (valid)`",
            "`p7 (valid)`",
        ],
    );
}

#[test]
fn golden() {
    let mut device = Device::open().expect("a device");
    let build = along(&mut device, Route::along_rows(range(0, 0, 2, 1)), 0);
    let program = build.expect("a program").0.validate(&device).expect("valid");
    let other = ring(&mut device).expect("a program").0.validate(&device).expect("valid");
    let looped = loopback(&mut device).expect("a program").0.validate(&device).expect("valid");
    for program in [&program, &other, &looped] {
        files::sources("pipes", &program.sources(Lines::Comments).expect("C++"));
    }
}

/// `TTL_EXPORT=DIR cargo test --test pipes export` writes the programs for the real TT-Metalium, with our results.
#[test]
fn export() {
    let keep = std::env::var_os("TTL_EXPORT");
    let temporary = tempfile::tempdir().expect("a directory");
    let dir = keep.as_ref().map_or(temporary.path(), Path::new);
    for arch in archs() {
        let exact = Tolerance { max_abs: Some(0.0), ..Tolerance::default() };
        let mut device = Device::with_options(options(arch, Schedule::RoundRobin)).expect("a device");
        let rows = || Route::along_rows(range(0, 0, 2, 1));
        let inside = || vec![Route::new(Core::new(1, 1), range(0, 0, 2, 1))];
        type Build<'a> = (&'a str, Box<dyn Fn(&mut Device) -> ttl::Result<(Program, Made)>>);
        let builds: [Build<'_>; 6] = [
            ("rows", Box::new(move |d| along(d, rows(), 0))),
            ("rows_noc_1", Box::new(move |d| along(d, rows(), 1))),
            ("rows_swapped", Box::new(move |d| along(d, rows(), 2))),
            ("inside", Box::new(move |d| along(d, inside(), 0))),
            ("loopback", Box::new(loopback)),
            ("ring", Box::new(ring)),
        ];
        for (name, build) in builds {
            let (program, (y, _)) = build(&mut device).expect("a program");
            let program = program.validate(&device).expect("valid");
            device.run(&program).expect("it runs");
            let result = device.download(&y).expect("on this device");
            let at = dir.join(format!("{name}_{}", arch.name()));
            program.export(&device, &at, &[(y.handle(), &result)], exact).expect("written");
        }
    }
}
