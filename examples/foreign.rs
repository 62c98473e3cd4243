//! y = sigmoid(a) * b, where the compute kernel is hand-written TT-Metalium C++ (`foreign/gate.cpp`) between a reader and a writer in Rust.

mod common;

use clap::Parser;
use std::path::PathBuf;
use ttl::prelude::*;

/// Brings tiles of both operands into the core's memory.
#[ttl::kernel(reader)]
fn read(
    noc: Noc,
    a: TensorAccessor<bf16>,
    b: TensorAccessor<bf16>,
    a_out: CbOut<bf16>,
    b_out: CbOut<bf16>,
    first: u32,
    count: u32,
) {
    for i in first..first + count {
        let mut a_tile = a_out.reserve_back(1);
        let mut b_tile = b_out.reserve_back(1);
        let a_read = noc.read_page(&a, i, &mut a_tile);
        let b_read = noc.read_page(&b, i, &mut b_tile);
        a_read.wait();
        b_read.wait();
    }
}

/// Takes the results back to DRAM.
#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, first: u32, count: u32) {
    for i in first..first + count {
        let tile = y_in.wait_front(1);
        noc.write_page(&y, i, &tile).flushed();
    }
}

/// Gates one tensor with another on four cores, with a compute kernel in C++.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    /// Gate, a .npy file (default: random, 96 x 128)
    #[arg(long)]
    a: Option<PathBuf>,
    /// What passes the gate
    #[arg(long)]
    b: Option<PathBuf>,
}

fn main() -> std::process::ExitCode {
    common::exit(run(&Cli::parse()))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let a_host = common::input(cli.a.as_deref(), &[96, 128], cli.options.seed)?;
    let b_host = common::input(cli.b.as_deref(), a_host.shape(), cli.options.seed.wrapping_add(1))?;
    common::same_shape("b", &b_host, "a", &a_host)?;

    let mut device = cli.options.open()?;
    let a = device.upload::<bf16>("a", &a_host)?;
    let b = device.upload::<bf16>("b", &b_host)?;
    let y = device.zeros::<bf16>("y", a.shape())?;

    // Four cores share the tiles; the first ones get one more if they do not divide evenly.
    let cores = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(3, 0)));
    let tiles = y.pages();
    let first = move |core: Core| (tiles * core.x).div_ceil(4);
    let count = move |core: Core| first(Core::new(core.x + 1, 0)) - first(core);

    let mut program = Program::new("foreign");
    let (a_out, a_in) = program.circular_buffer::<bf16>("a", &cores, 2);
    let (b_out, b_in) = program.circular_buffer::<bf16>("b", &cores, 2);
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", &cores, 2);
    let (first, count) = (per_core(first), per_core(count));
    program.kernel(
        &cores,
        read { a: a.accessor(), b: b.accessor(), a_out, b_out, first: first.clone(), count: count.clone() },
    );
    let gate = ForeignKernel::compute(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/foreign/gate.cpp"))
        .named("a", &a_in)
        .named("b", &b_in)
        .named("y", &y_out)
        .define("GATE_INIT()", "sigmoid_tile_init()")
        .define("GATE(i)", "sigmoid_tile(i)")
        .runtime(count.clone())
        .config(ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() });
    program.foreign(&cores, gate);
    program.kernel(&cores, write { y: y.accessor(), y_in, first, count });

    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&y)?;
    let (a, b) = (common::rounded(&a_host), common::rounded(&b_host));
    let reference = common::map2(&a, &b, |a, b| b / (1.0 + (-a).exp()))?;
    common::export(&device, &program, &[(y.handle(), &result)], &cli.options)?;
    // The sigmoid and the product are each rounded to bf16, and the operands of the product to what the matrix unit multiplies.
    common::finish("foreign", time, &result, &reference, 3.0 * 2f64.powi(-8), &cli.options)
}
