//! What a kernel author reads when a program is wrong in a way that Rust cannot see: refused by `validate`, or caught while it runs, on
//! both engines with the same Rust line.

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<bf16>, out: CbOut<bf16>, #[ttl(common)] first: u32, #[ttl(common)] count: u32) {
    for i in first..first + count {
        let mut tile = out.reserve_back(1);
        noc.read_page(&x, i, &mut tile).wait(); // the line of a page out of range
    }
}

#[ttl::kernel(compute)]
fn copy(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>, #[ttl(common)] blocks: u32, #[ttl(common)] size: u32) {
    for _ in 0..blocks {
        let x = x.wait_front(size); // the line of a wait that never ends
        y.reserve_back(size).store(&x);
    }
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<bf16>, input: CbIn<bf16>, #[ttl(common)] count: u32) {
    for i in 0..count {
        let tile = input.wait_front(1);
        noc.write_page(&y, i, &tile).flushed();
    }
}

/// How the copy program is put together; the default is right.
#[derive(Clone, Copy)]
struct Setup {
    first: u32,
    read: u32,
    blocks: u32,
    size: u32,
    written: u32,
    pages: u32,
}

const RIGHT: Setup = Setup { first: 0, read: 4, blocks: 4, size: 1, written: 4, pages: 4 };

fn build(device: &mut Device, s: Setup) -> ttl::Result<CheckedProgram> {
    let x = device.upload::<bf16>("x", &HostTensor::uniform(vec![64, 64], -1.0, 1.0, 5)?)?;
    let y = device.zeros::<bf16>("y", &[64, 64])?;
    let core = Core::new(2, 1);
    let mut p = Program::new("copy");
    let (x_out, x_in) = p.circular_buffer::<bf16>("x", core, s.pages);
    let (y_out, y_in) = p.circular_buffer::<bf16>("y", core, s.pages);
    p.kernel(core, read { x: x.accessor(), out: x_out, first: s.first, count: s.read });
    p.kernel(core, copy { x: x_in, y: y_out, blocks: s.blocks, size: s.size });
    p.kernel(core, write { y: y.accessor(), input: y_in, count: s.written });
    p.validate(device)
}

/// The error of a run on each engine.
fn errors(s: Setup) -> [String; 2] {
    [Engine::Native, Engine::Cpp].map(|engine| {
        let mut device = Device::with_options(DeviceOptions { engine, ..Default::default() }).expect("a device");
        let program = build(&mut device, s).expect("validate cannot see it");
        device.run(&program).expect_err("the run must fail").to_string()
    })
}

/// The number of the line of this file that ends with a comment.
fn line(comment: &str) -> String {
    let source = include_str!("diagnostics.rs");
    let at = source.lines().position(|l| l.ends_with(comment)).expect("the comment stands in this file");
    format!("tests/diagnostics.rs:{}", at + 1)
}

#[track_caller]
fn assert_parts(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn the_right_program_runs() {
    for engine in [Engine::Native, Engine::Cpp] {
        let mut device = Device::with_options(DeviceOptions { engine, ..Default::default() }).expect("a device");
        let program = build(&mut device, RIGHT).expect("valid");
        device.run(&program).expect("runs");
    }
}

#[test]
fn a_deadlock_names_every_blocked_thread() {
    // The reader brings three tiles, the others wait for a fourth.
    for error in errors(Setup { read: 3, ..RIGHT }) {
        let waits = line("// the line of a wait that never ends");
        assert_parts(&error, &["error: deadlock", &waits, "core(2,1)", "`copy`", "`write`", "`x`", "1 page", "0"]);
        assert!(!error.contains("`read` waits"), "{error}");
    }
}

#[test]
fn a_page_that_the_tensor_does_not_have() {
    for error in errors(Setup { first: 1, ..RIGHT }) {
        let reads = line("// the line of a page out of range");
        assert_parts(&error, &["page 4 of tensor `x`, which has 4", &reads, "core(2,1)", "`read`"]);
    }
}

#[test]
fn tiles_that_nobody_takes() {
    for error in errors(Setup { written: 3, ..RIGHT }) {
        assert_parts(&error, &["pages left", "`y`", "core(2,1)", "3"]);
    }
}

#[test]
fn a_block_that_never_fits_at_run_time() {
    for error in errors(Setup { size: 8, blocks: 1, ..RIGHT }) {
        let waits = line("// the line of a wait that never ends");
        assert_parts(&error, &["8 pages", "which has 4", &waits, "help: "]);
    }
}

#[ttl::kernel(compute)]
fn fixed(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(8);
    y.reserve_back(8).store(&x);
}

#[test]
fn validation_reports_all_mistakes_at_once() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<bf16>("x", &[64, 64]).expect("a tensor");
    let mut p = Program::new("wrong");
    let (x_out, x_in) = p.circular_buffer::<bf16>("x", Core::new(0, 0), 4);
    let (y_out, _y_in) = p.circular_buffer::<bf16>("y", Core::new(0, 0), 2000);
    p.kernel(Core::new(30, 0), read { x: x.accessor(), out: x_out, first: 0, count: 8 });
    p.kernel(Core::new(0, 0), fixed { x: x_in, y: y_out });
    let error = p.validate(&device).expect_err("three mistakes").to_string();
    assert_parts(&error, &["grid", "(30,0)", "consumer", "`y`", "8 pages", "`x`", "mistakes", "tests/diagnostics.rs:"]);
}

#[test]
fn l1_is_budgeted() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<bf16>("x", &[64, 64]).expect("a tensor");
    let core = Core::new(0, 0);
    let mut p = Program::new("large");
    let (x_out, x_in) = p.circular_buffer::<bf16>("x", core, 600);
    let (y_out, y_in) = p.circular_buffer::<bf16>("y", core, 200);
    p.kernel(core, read { x: x.accessor(), out: x_out, first: 0, count: 4 });
    p.kernel(core, copy { x: x_in, y: y_out, blocks: 4, size: 1 });
    p.kernel(core, write { y: x.accessor(), input: y_in, count: 4 });
    let error = p.validate(&device).expect_err("too large").to_string();
    assert_parts(&error, &["L1", "1228800", "409600", "`x`", "`y`"]);
    device.free(x).expect("freed");
}

#[test]
fn tensors_are_used_before_they_are_freed() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<bf16>("x", &[64, 64]).expect("a tensor");
    let core = Core::new(0, 0);
    let copies = |x: &Tensor<bf16>| {
        let mut p = Program::new("copies");
        let (x_out, x_in) = p.circular_buffer::<bf16>("x", core, 2);
        p.kernel(core, read { x: x.accessor(), out: x_out, first: 0, count: 4 });
        p.kernel(core, write { y: x.accessor(), input: x_in, count: 4 });
        p
    };
    let program = copies(&x).validate(&device).expect("valid");
    device.run(&program).expect("it runs");
    device.free(x.clone()).expect("it is there");
    // The next tensor lies where this one was.
    let _other = device.zeros::<bf16>("other", &[64, 64]).expect("a tensor");
    let freed = ["tensor `x` was freed, and its memory may hold another one", "make it again"];
    assert_parts(&device.download(&x).expect_err("freed").to_string(), &freed);
    let zeros = HostTensor::zeros([64, 64], DataFormat::Bf16).expect("a shape");
    assert_parts(&device.write(&x, &zeros).expect_err("freed").to_string(), &freed);
    assert_parts(&device.run(&program).expect_err("freed").to_string(), &["program `copies`", freed[0]]);
    assert_parts(&copies(&x).validate(&device).expect_err("freed").to_string(), &["program `copies`", freed[0]]);
    assert_parts(&device.free(x).expect_err("freed").to_string(), &freed);
}

#[ttl::kernel(compute)]
fn wrong_protocol(compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let tile = x.wait_front(1);
    let mut out = y.reserve_back(1);
    let mut regs = compute.acquire();
    regs.copy_tile(&tile, 0, 0);
    regs.exp_tile(3);
    regs.commit().pack_tile(0, &mut out);
}

#[test]
fn a_register_that_was_never_written() {
    for engine in [Engine::Native, Engine::Cpp] {
        let mut device = Device::with_options(DeviceOptions { engine, ..Default::default() }).expect("a device");
        let x = device.zeros::<bf16>("x", &[32, 32]).expect("a tensor");
        let y = device.zeros::<bf16>("y", &[32, 32]).expect("a tensor");
        let core = Core::new(0, 0);
        let mut p = Program::new("registers");
        let (x_out, x_in) = p.circular_buffer::<bf16>("x", core, 1);
        let (y_out, y_in) = p.circular_buffer::<bf16>("y", core, 1);
        p.kernel(core, read { x: x.accessor(), out: x_out, first: 0, count: 1 });
        p.kernel(core, wrong_protocol { x: x_in, y: y_out });
        p.kernel(core, write { y: y.accessor(), input: y_in, count: 1 });
        let program = p.validate(&device).expect("valid");
        let error = device.run(&program).expect_err("undefined").to_string();
        assert_parts(&error, &["exp_tile", "register 3", "not written", "tests/diagnostics.rs:"]);
    }
}

#[test]
fn another_devices_tensor_is_refused() {
    let mut one = Device::open().expect("a device");
    let other = Device::open().expect("a device");
    let program = build(&mut one, RIGHT).expect("valid");
    let mut other = other;
    let error = other.run(&program).expect_err("another device").to_string();
    assert_parts(&error, &["validated for another device"]);
}

/// Where the two engines differ, as here by what they are given.
#[test]
fn engines_that_leave_different_memory() {
    let made = std::cell::Cell::new(0.0);
    let ran = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        made.set(made.get() + 1.0);
        let value = made.get();
        let x = device.upload::<bf16>("x", &HostTensor::from_fn([64, 64], |_| value)?)?;
        let y = device.zeros::<bf16>("y", &[64, 64])?;
        let mut p = Program::new("copies");
        let (out, input) = p.circular_buffer::<bf16>("x", Core::new(0, 0), 2);
        p.kernel(Core::new(0, 0), read { x: x.accessor(), out, first: 0, count: 4 });
        p.kernel(Core::new(0, 0), write { y: y.accessor(), input, count: 4 });
        Ok((p, ()))
    });
    let error = ran.map(|_| ()).expect_err("other contents").to_string();
    assert_parts(&error, &["program `copies`: the native run and the generated C++ leave different memory: "]);
}

#[test]
fn what_a_device_is_given() {
    let mut device = Device::open().expect("a device");
    let engine = "fpga".parse::<Engine>().expect_err("no engine").to_string();
    assert_parts(&engine, &["there is no engine `fpga`", "help: there are `native` and `cpp`"]);
    let half = device.upload_packed::<bf16>("x", &[32, 32], MemoryConfig::Dram, &[&[0; 1024]]);
    let half = half.expect_err("half a page").to_string();
    assert_parts(
        &half,
        &["tensor `x` of shape [32, 32] has 1 pages of 2048 bytes, 1024 bytes are given in 1 parts", "give all bytes"],
    );
    let x = device.zeros::<bf16>("x", &[32, 32]).expect("a tensor");
    let other = HostTensor::zeros([64, 32], DataFormat::Bf16).expect("a shape");
    let shape = device.write(&x, &other).expect_err("another shape").to_string();
    assert_parts(
        &shape,
        &["tensor `x` has shape [32, 32], the contents have [64, 32]", "give as many elements in each dimension"],
    );
    let elsewhere = Device::open().expect("a device").download(&x).expect_err("another device").to_string();
    assert_parts(&elsewhere, &["tensor `x` is on another device", "upload it to this one"]);
}

#[test]
fn a_tensor_larger_than_dram() {
    let options = DeviceOptions { arch: Arch::wormhole(), ..DeviceOptions::default() };
    let mut device = Device::with_options(options).expect("a device");
    // 16 GiB; the chip has 12.
    let error = device.zeros::<bf16>("huge", &[1 << 19, 1 << 14]).expect_err("too large").to_string();
    assert_parts(&error, &["error: ", "17179869184 bytes", "12 DRAM banks", "help: "]);
    // Nothing was taken.
    device.zeros::<bf16>("small", &[1 << 10, 1 << 10]).expect("room");
}
