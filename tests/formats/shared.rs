//! Circular buffers of several formats in one memory.

use ttl::prelude::*;

const CORE: Core = Core::new(0, 0);

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, #[ttl(common)] pages: u32) {
    for page in 0..pages {
        noc.read_page(&x, page, &mut x_out.reserve_back(1)).wait();
    }
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, #[ttl(common)] pages: u32) {
    for page in 0..pages {
        noc.write_page(&y, page, &y_in.wait_front(1)).flushed();
    }
}

/// The sum of two tiles, with all its bits, and its square: both are in the memory of the sum.
#[ttl::kernel(compute)]
fn sums(
    c: Compute,
    x_in: CbIn<bf16>,
    sum_out: CbOut<f32>,
    sum_in: CbIn<f32>,
    y_out: CbOut<bf16>,
    #[ttl(common)] rounds: u32,
) {
    for _ in 0..rounds {
        // The sum goes where the last results are: they must have been taken.
        let mut y = y_out.reserve_back(2);
        let x = x_in.wait_front(2);
        let mut sum = sum_out.reserve_back(1);
        let mut regs = c.acquire();
        regs.add_tiles(&x, &x, 0, 1, 0);
        regs.commit().pack_tile(0, &mut sum);
        sum.push_back();
        let sum = sum_in.wait_front(1);
        let mut regs = c.acquire();
        regs.copy_tile(&sum, 0, 0);
        regs.copy_tile(&sum, 0, 1);
        regs.square_tile(1);
        // It is in the registers: its memory is the results' from here on.
        sum.pop_front();
        let mut packing = regs.commit();
        packing.pack_tile(0, &mut y);
        packing.pack_tile(1, &mut y);
    }
}

/// Does not wait until the results have been taken.
#[ttl::kernel(compute)]
fn sums_too_early(
    c: Compute,
    x_in: CbIn<bf16>,
    sum_out: CbOut<f32>,
    sum_in: CbIn<f32>,
    y_out: CbOut<bf16>,
    #[ttl(common)] rounds: u32,
) {
    for _ in 0..rounds {
        let x = x_in.wait_front(2);
        let mut sum = sum_out.reserve_back(1);
        let mut regs = c.acquire();
        regs.add_tiles(&x, &x, 0, 1, 0);
        regs.commit().pack_tile(0, &mut sum);
        sum.push_back();
        let sum = sum_in.wait_front(1);
        let mut regs = c.acquire();
        regs.copy_tile(&sum, 0, 0);
        regs.copy_tile(&sum, 0, 1);
        sum.pop_front();
        let mut y = y_out.reserve_back(2);
        let mut packing = regs.commit();
        packing.pack_tile(0, &mut y);
        packing.pack_tile(1, &mut y);
    }
}

/// Packs the results while the sum is still there.
#[ttl::kernel(compute)]
fn sums_kept(
    c: Compute,
    x_in: CbIn<bf16>,
    sum_out: CbOut<f32>,
    sum_in: CbIn<f32>,
    y_out: CbOut<bf16>,
    #[ttl(common)] rounds: u32,
) {
    for _ in 0..rounds {
        let mut y = y_out.reserve_back(2);
        let x = x_in.wait_front(2);
        let mut sum = sum_out.reserve_back(1);
        let mut regs = c.acquire();
        regs.add_tiles(&x, &x, 0, 1, 0);
        regs.commit().pack_tile(0, &mut sum);
        sum.push_back();
        let sum = sum_in.wait_front(1);
        let mut regs = c.acquire();
        regs.copy_tile(&sum, 0, 0);
        regs.copy_tile(&sum, 0, 1);
        let mut packing = regs.commit();
        packing.pack_tile(0, &mut y);
        packing.pack_tile(1, &mut y);
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Code {
    Right,
    TooEarly,
    Kept,
}

fn config() -> ComputeConfig {
    ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() }
}

const ROUNDS: u32 = 5;

/// With the results in the memory of the sum, or with memory of their own.
fn program(device: &mut Device, code: Code, shared: bool) -> ttl::Result<(Program, Tensor<bf16>)> {
    let rounds = ROUNDS;
    let x = HostTensor::from_fn([2 * rounds as usize * 32, 32], |i| ((i * 7) % 65) as f32 * 0.125 - 3.0)?;
    let x = device.upload::<bf16>("x", &x)?;
    let y = device.zeros::<bf16>("y", &[2 * rounds as usize * 32, 32])?;
    let mut program = Program::new("sums");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 4);
    let (sum_out, sum_in) = program.circular_buffer::<f32>("sum", CORE, 1);
    let (y_out, y_in) = match shared {
        true => program.circular_buffer_sharing::<bf16>("y", &sum_in),
        false => program.circular_buffer::<bf16>("y", CORE, 2),
    };
    program.kernel(CORE, read { x: x.accessor(), x_out, pages: 2 * rounds });
    match code {
        Code::Right => program.compute(CORE, config(), sums { x_in, sum_out, sum_in, y_out, rounds }),
        Code::TooEarly => program.compute(CORE, config(), sums_too_early { x_in, sum_out, sum_in, y_out, rounds }),
        Code::Kept => program.compute(CORE, config(), sums_kept { x_in, sum_out, sum_in, y_out, rounds }),
    }
    program.kernel(CORE, write { y: y.accessor(), y_in, pages: 2 * rounds });
    Ok((program, y))
}

#[test]
fn sums_and_results_in_one_memory() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for schedule in std::iter::once(Schedule::RoundRobin).chain((0..10).map(Schedule::Random)) {
            let run = RunOptions { schedule, ..RunOptions::default() };
            let options = DeviceOptions { arch, run, ..DeviceOptions::default() };
            let results = [true, false].map(|shared| {
                let build = |device: &mut Device| program(device, Code::Right, shared);
                let (device, y) = ttl::testing::on_both_engines(&options, build).unwrap_or_else(|e| panic!("{e}"));
                device.pages(y.handle()).expect("on this device")
            });
            assert_eq!(results[0], results[1], "{} {schedule:?}", arch.name());
            assert!(results[0].iter().any(|b| *b != 0));
        }
    }
}

/// The two lie at one address, take their memory once, and are one buffer with two ids where the program is written out.
#[test]
fn one_address_and_one_description() {
    let mut device = Device::open().expect("a device");
    let (program, _) = program(&mut device, Code::Right, true).expect("a program");
    let program = program.validate(&device).expect("valid");
    let of = |name: &str| program.checked().cbs().iter().find(|cb| &*cb.name == name).expect("a buffer");
    let (sum, y) = (of("sum"), of("y"));
    assert_eq!((sum.address, sum.pages, sum.page_size), (y.address, 1, 4096));
    assert_eq!((y.pages, y.page_size, y.cores.len()), (2, 2048, 1));
    assert_ne!(sum.id, y.id);
    let report = program.report().expect("a report");
    assert!(report.contains("buffer `y`, 2 pages of 2048 (bf16), in the memory of `sum`"), "{report}");
    // Four pages of x, and the sum.
    let end = of("x").address + 4 * 2048 + 4096;
    assert!(report.contains(&format!("buffers end at {end} of")), "{report}");
    let dir = tempfile::tempdir().expect("a directory");
    program.export(&device, dir.path(), &[], Tolerance::default()).expect("written");
    let text = std::fs::read_to_string(dir.path().join("program.json")).expect("a file");
    let text: String = text.split_whitespace().collect();
    let alias = format!("\"aliases\":[{{\"id\":{},\"dtype\":\"bf16\",\"page_size\":2048}}]", y.id);
    assert!(text.contains(&alias) && text.contains("\"comment\":\"sum,y\""), "{text}");
    assert_eq!(text.matches("\"pages\":").count(), 2, "{text}");
}

/// One error, in both engines.
#[track_caller]
fn error(code: Code) -> String {
    let run = |engine| {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let (program, _) = program(&mut device, code, true).expect("a program");
        device.run(&program.validate(&device).expect("valid")).expect_err("an error").to_string()
    };
    let (native, cpp) = (run(Engine::Native), run(Engine::Cpp));
    // Places in generated C++ have no columns.
    let what = |text: &str| -> Vec<String> {
        text.lines().filter(|l| l.starts_with("error") || l.trim_start().starts_with("= ")).map(str::to_owned).collect()
    };
    assert_eq!(what(&native), what(&cpp), "{native}\n{cpp}");
    // With memory of their own nothing is wrong.
    let apart = |device: &mut Device| program(device, code, false);
    ttl::testing::on_both_engines(&DeviceOptions::default(), apart).unwrap_or_else(|e| panic!("{e}"));
    native
}

#[test]
fn what_nobody_has_popped_is_not_overwritten() {
    let message = error(Code::TooEarly);
    for part in [
        "a write to cb `sum` (id 1) destroys pages of cb `y` (id 2), which has the same memory",
        "pages of `y` were pushed here last",
        "2 pages that nobody has popped",
        "`cb_reserve_back` of `y`",
    ] {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
    let message = error(Code::Kept);
    for part in ["a write to cb `y` (id 2) destroys pages of cb `sum` (id 1)", "1 page that nobody has popped"] {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
}

/// Fills both buffers, one after the other, without waiting for the first to be empty.
#[ttl::kernel(reader)]
fn read_both(noc: Noc, x: TensorAccessor<bf16>, a_out: CbOut<bf16>, b_out: CbOut<bf16>) {
    noc.read_page(&x, 0, &mut a_out.reserve_back(1)).wait();
    noc.read_page(&x, 1, &mut b_out.reserve_back(1)).wait();
}

#[ttl::kernel(writer)]
fn write_both(noc: Noc, y: TensorAccessor<bf16>, a_in: CbIn<bf16>, b_in: CbIn<bf16>) {
    // Neither is popped before both are there.
    let (a, b) = (a_in.wait_front(1), b_in.wait_front(1));
    noc.write_page(&y, 0, &a).flushed();
    noc.write_page(&y, 1, &b).flushed();
}

#[test]
fn transfers_do_not_overwrite_either() {
    for engine in [Engine::Native, Engine::Cpp] {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let x = HostTensor::from_fn([64, 32], |i| i as f32).expect("a tensor");
        let x = device.upload::<bf16>("x", &x).expect("it fits");
        let y = device.zeros::<bf16>("y", &[64, 32]).expect("it fits");
        let mut program = Program::new("both");
        let (a_out, a_in) = program.circular_buffer::<bf16>("a", CORE, 1);
        let (b_out, b_in) = program.circular_buffer_sharing::<bf16>("b", &a_in);
        program.kernel(CORE, read_both { x: x.accessor(), a_out, b_out });
        program.kernel(CORE, write_both { y: y.accessor(), a_in, b_in });
        let message = device.run(&program.validate(&device).expect("valid")).expect_err("an error").to_string();
        assert!(message.contains("a write to cb `b` (id 1) destroys pages of cb `a` (id 0)"), "{message}");
    }
}

/// Packs a result where a sum is that is not pushed yet.
#[ttl::kernel(compute)]
fn one_over_the_other(c: Compute, x_in: CbIn<bf16>, sum_out: CbOut<f32>, y_out: CbOut<bf16>) {
    let x = x_in.wait_front(1);
    let mut sum = sum_out.reserve_back(1);
    let mut y = y_out.reserve_back(1);
    let mut regs = c.acquire();
    regs.copy_tile(&x, 0, 0);
    let mut packing = regs.commit();
    packing.pack_tile(0, &mut sum);
    packing.pack_tile(0, &mut y);
}

#[ttl::kernel(reader)]
fn fill_one(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>) {
    noc.read_page(&x, 0, &mut x_out.reserve_back(1)).wait();
}

#[ttl::kernel(writer)]
fn drop_both(_: Noc, sum_in: CbIn<f32>, y_in: CbIn<bf16>) {
    let _ = sum_in.wait_front(1);
    let _ = y_in.wait_front(1);
}

#[test]
fn what_is_not_pushed_yet_is_not_overwritten() {
    for engine in [Engine::Native, Engine::Cpp] {
        for shared in [true, false] {
            let options = DeviceOptions { engine, ..DeviceOptions::default() };
            let mut device = Device::with_options(options).expect("a device");
            let x = HostTensor::from_fn([32, 32], |i| i as f32).expect("a tensor");
            let x = device.upload::<bf16>("x", &x).expect("it fits");
            let mut program = Program::new("one over the other");
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 1);
            let (sum_out, sum_in) = program.circular_buffer::<f32>("sum", CORE, 1);
            let (y_out, y_in) = match shared {
                true => program.circular_buffer_sharing::<bf16>("y", &sum_in),
                false => program.circular_buffer::<bf16>("y", CORE, 1),
            };
            program.kernel(CORE, fill_one { x: x.accessor(), x_out });
            program.compute(CORE, config(), one_over_the_other { x_in, sum_out, y_out });
            program.kernel(CORE, drop_both { sum_in, y_in });
            let ran = device.run(&program.validate(&device).expect("valid"));
            if !shared {
                ran.expect("with memory of its own nothing is wrong");
                continue;
            }
            let message = ran.expect_err("an error").to_string();
            for part in [
                "a write to cb `y` (id 2) destroys pages of cb `sum` (id 1), which has the same memory",
                "pages of `sum` were written here",
                "cb `sum` (id 1) has pages there that are written and not pushed",
                "push the pages of `sum` and pop them before `y` is written",
            ] {
                assert!(message.contains(part), "`{part}` is not in:\n{message}");
            }
        }
    }
}

/// Another thread fills the memory while a page that was read into it is not pushed yet.
#[ttl::kernel(reader)]
fn read_and_keep(noc: Noc, x: TensorAccessor<bf16>, a_out: CbOut<bf16>, go_out: CbOut<bf16>, done_in: CbIn<bf16>) {
    let mut a = a_out.reserve_back(1);
    noc.read_page(&x, 0, &mut a).wait();
    go_out.reserve_back(1).push_back();
    let _ = done_in.wait_front(1);
    a.push_back();
}

#[ttl::kernel(writer)]
fn read_as_well(
    noc: Noc,
    x: TensorAccessor<bf16>,
    b_out: CbOut<bf16>,
    b_in: CbIn<bf16>,
    go_in: CbIn<bf16>,
    done_out: CbOut<bf16>,
    a_in: CbIn<bf16>,
) {
    let _ = go_in.wait_front(1);
    noc.read_page(&x, 1, &mut b_out.reserve_back(1)).wait();
    let _ = b_in.wait_front(1);
    done_out.reserve_back(1).push_back();
    let _ = a_in.wait_front(1);
}

#[test]
fn another_thread_does_not_overwrite_what_is_not_pushed() {
    for engine in [Engine::Native, Engine::Cpp] {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let x = HostTensor::from_fn([64, 32], |i| i as f32).expect("a tensor");
        let x = device.upload::<bf16>("x", &x).expect("it fits");
        let mut program = Program::new("keep");
        let (a_out, a_in) = program.circular_buffer::<bf16>("a", CORE, 1);
        let (b_out, b_in) = program.circular_buffer_sharing::<bf16>("b", &a_in);
        let (go_out, go_in) = program.circular_buffer::<bf16>("go", CORE, 1);
        let (done_out, done_in) = program.circular_buffer::<bf16>("done", CORE, 1);
        let x = x.accessor();
        program.kernel(CORE, read_and_keep { x: x.clone(), a_out, go_out, done_in });
        program.kernel(CORE, read_as_well { x, b_out, b_in, go_in, done_out, a_in });
        let message = device.run(&program.validate(&device).expect("valid")).expect_err("an error").to_string();
        assert!(message.contains("a write to cb `b` (id 1) destroys pages of cb `a` (id 0)"), "{message}");
        assert!(message.contains("written and not pushed"), "{message}");
    }
}

type Ends = (Producer<bf16>, Consumer<bf16>);

#[test]
fn what_cannot_be_shared() {
    let mut device = Device::open().expect("a device");
    let y = device.zeros::<bf16>("y", &[64, 32]).expect("it fits");
    let x = device.zeros::<bf16>("x", &[64, 32]).expect("it fits");
    let invalid = |build: &dyn Fn(&mut Program) -> [Ends; 2]| {
        let mut program = Program::new("wrong");
        let [(a_out, a_in), (b_out, b_in)] = build(&mut program);
        program.kernel(CORE, read_both { x: x.accessor(), a_out, b_out });
        program.kernel(CORE, write_both { y: y.accessor(), a_in, b_in });
        program.validate(&device).expect_err("invalid").to_string()
    };
    let message = invalid(&|p| {
        let a = p.circular_buffer_of_bytes::<bf16>("a", CORE, 3, 2048 + 1024);
        let b = p.circular_buffer_sharing::<bf16>("b", &a.1);
        [a, b]
    });
    for part in [
        "circular buffer `b` shares the 9216 bytes of `a`, which are no whole number of its pages of 2048 bytes",
        "`a`: 3 pages of 3072 bytes",
        "give `a` 4 pages: 6 pages of `b`",
    ] {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
    let message = invalid(&|p| {
        let other = Program::new("other").circular_buffer::<bf16>("a", CORE, 1);
        [p.circular_buffer::<bf16>("a", CORE, 1), p.circular_buffer_sharing::<bf16>("b", &other.0)]
    });
    assert!(message.contains("`b` shares the memory of a buffer of another program"), "{message}");
}
