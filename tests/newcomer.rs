//! The way of a newcomer: a kernel that is not in the book, on both engines and both chips, and the mistakes that are made on the way to it,
//! each with what ttl says.

use ttl::prelude::*;
use ttl_kernels::split::split;

/// y = sigmoid(a) * b, `b` one row. `PAGES` and `BLOCK` are those of `a`, `skip` the tiles that the computing section leaves out.
#[ttl::kernel]
fn gate<const PAGES: u32, const BLOCK: u32>(
    a: TensorAccessor<bf16>,
    b: TensorAccessor<bf16>,
    y: TensorAccessor<bf16>,
    #[ttl(common)] columns: u32,
    #[ttl(common)] skip: u32,
    first: u32,
    count: u32,
) {
    let (a_out, a_in) = ttl::buffer::<bf16>(PAGES); // the buffer of a
    let (b_out, b_in) = ttl::buffer::<bf16>(2);
    let (y_out, y_in) = ttl::buffer::<bf16>(2);

    // the section that reads:
    ttl::reader(|noc| {
        for page in first..first + count {
            let mut a_tile = a_out.reserve_back(BLOCK);
            let mut b_tile = b_out.reserve_back(1);
            let a_read = noc.read_page(&a, page, &mut a_tile);
            let b_read = noc.read_page(&b, page % columns, &mut b_tile);
            a_read.wait();
            b_read.wait();
        }
    });
    ttl::compute(|_compute| {
        for _ in 0..count - skip {
            let a = a_in.wait_front(BLOCK);
            let b = b_in.wait_front(1);
            y_out.reserve_back(1).store(a.block(1, 1).sigmoid() * b.bcast_rows());
        }
    });
    ttl::writer(|noc| {
        for page in first..first + count {
            noc.write_page(&y, page, &y_in.wait_front(1)).flushed();
        }
    });
}

const ROWS: usize = 1000;
const COLS: usize = 70;

fn build<const PAGES: u32, const BLOCK: u32>(device: &mut Device, skip: u32) -> ttl::Result<(Program, Tensor<bf16>)> {
    let a = device.upload::<bf16>("a", &HostTensor::normal([ROWS, COLS], 0)?)?;
    let b = device.upload::<bf16>("b", &HostTensor::normal([1, COLS], 1)?)?;
    let y = device.zeros::<bf16>("y", a.shape())?;
    let shares = split(a.pages(), &device.grid());
    let cores = shares.cores.clone();
    let (first, count) = (shares.clone(), shares);
    let mut program = Program::new("gate");
    let operation = gate::<PAGES, BLOCK> {
        a: a.accessor(),
        b: b.accessor(),
        y: y.accessor(),
        columns: a.tile_cols(),
        skip,
        first: per_core(move |core| first.share(core).first),
        count: per_core(move |core| count.share(core).count),
    };
    program.operation(&cores, operation);
    Ok((program, y))
}

/// `tests/newcomer.rs:LINE` of the line that ends with a comment, or of the one below it.
fn line(comment: &str, below: usize) -> String {
    let at = include_str!("newcomer.rs").lines().position(|l| l.ends_with(comment)).expect("it stands in this file");
    format!("tests/newcomer.rs:{}:", at + 1 + below)
}

#[track_caller]
fn assert_parts(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn the_kernel_is_right_on_both_chips_and_engines() {
    let (a, b) = (HostTensor::normal([ROWS, COLS], 0).expect("a"), HostTensor::normal([1, COLS], 1).expect("b"));
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let options = DeviceOptions { arch, ..DeviceOptions::default() };
        let (device, y) = ttl::testing::on_both_engines(&options, |device| build::<2, 1>(device, 0)).expect("equal");
        let y = device.download(&y).expect("the result");
        for i in 0..ROWS * COLS {
            let of = |t: &HostTensor, i| f64::from(bf16::from_f32(t.get(i).expect("an element")));
            let exact = of(&b, i % COLS) / (1.0 + (-of(&a, i)).exp());
            // Rounded to bf16 after the sigmoid, after the product and by the packer: three halves of a last place.
            let bound = exact.abs() * 3.0 / 256.0 + 1e-6;
            let got = f64::from(y.get(i).expect("an element"));
            assert!((got - exact).abs() <= bound, "{i}: {got} for {exact}");
        }
    }
}

type Build = fn(&mut Device, u32) -> ttl::Result<(Program, Tensor<bf16>)>;

#[test]
fn mistakes_with_buffers_of_an_operation_point_into_it() {
    let text = |build: Build| {
        let mut device = Device::open().expect("a device");
        let (program, _) = build(&mut device, 0).expect("a program");
        program.validate(&device).expect_err("a mistake").to_string()
    };
    let (buffer, section) = (line("// the buffer of a", 0), line("// the section that reads:", 1));
    assert_parts(
        &text(build::<800, 1>),
        &["bytes more than there are in the L1", &buffer, "800 pages of 2048", "help: "],
    );
    assert_parts(&text(build::<2, 4>), &["reserves 4 pages", "`a`", "which has 2", &buffer, &section, "help: "]);
    assert_parts(&text(build::<4, 3>), &["no multiple of the 3", &buffer, &section, "help: "]);
}

#[test]
fn a_kernel_that_ended_without_pushing_is_named() {
    for engine in [Engine::Native, Engine::Cpp] {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let (program, _) = build::<2, 1>(&mut device, 1).expect("a program");
        let program = program.validate(&device).expect("validate cannot see it");
        let error = device.run(&program).expect_err("one tile for each core, and that is left out");
        assert_parts(
            &error.to_string(),
            &["help: compute kernel `gate_compute` has ended without pushing a page of `y`"],
        );
        // `main() -> ttl::Result` prints `Error: ` in front of this.
        assert!(format!("{error:?}").starts_with("deadlock: "), "{error:?}");
    }
}

#[ttl::kernel(reader)]
fn send(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>, spread: PipeTx, #[ttl(common)] tiles: u32) {
    for page in 0..tiles {
        let mut block = x_out.reserve_back(1);
        noc.read_page(&x, page, &mut block).wait();
        spread.send(noc, &block);
    }
}

#[ttl::kernel(reader)]
fn receive(noc: Noc, x_out: CbOut<bf16>, spread: PipeRx, #[ttl(common)] tiles: u32) {
    for _ in 0..tiles {
        let mut block = x_out.reserve_back(1);
        spread.receive(noc, &mut block);
    }
}

#[ttl::kernel(writer)]
fn drop_all(_noc: Noc, x_in: CbIn<bf16>, #[ttl(common)] tiles: u32) {
    for _ in 0..tiles {
        x_in.wait_front(1).pop_front();
    }
}

#[test]
fn a_semaphore_is_named_and_who_has_ended_is_listed() {
    for engine in [Engine::Native, Engine::Cpp] {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let x = device.zeros::<bf16>("x", &[96, 32]).expect("a tensor");
        let cores = CoreRange::new(Core::new(0, 0), Core::new(3, 1));
        let mut program = Program::new("spread");
        let (x_out, x_in) = program.circular_buffer::<bf16>("x", cores, 2);
        let spread = program.pipe("spread", Route::new(Core::new(0, 0), cores)); // one route needs no list
        program.kernel(spread.senders(), send { x: x.accessor(), x_out: x_out.clone(), spread: spread.tx(), tiles: 3 });
        program.kernel(spread.receivers(), receive { x_out, spread: spread.rx(), tiles: 2 });
        program.kernel(cores, drop_all { x_in, tiles: 3 });
        let program = program.validate(&device).expect("validate cannot see it");
        let error = device.run(&program).expect_err("the third block is not received").to_string();
        assert_parts(
            &error,
            &[
                "ncrisc `send` waits for semaphore `spread (ready)` (id 0) to be 7: it is 0",
                "note: ended already: ncrisc kernel `receive` on core(1,0)-(3,1), core(0,1)",
                "help: ncrisc kernel `receive` has ended after pushing 2 pages of `x`",
            ],
        );
    }
}
