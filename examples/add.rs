//! y = a + b on one core, tile by tile: the smallest whole program.

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
    #[ttl(common)] tiles: u32,
) {
    for i in 0..tiles {
        let mut a_tile = a_out.reserve_back(1);
        let mut b_tile = b_out.reserve_back(1);
        let a_read = noc.read_page(&a, i, &mut a_tile);
        let b_read = noc.read_page(&b, i, &mut b_tile);
        a_read.wait();
        b_read.wait();
    }
}

/// Adds them.
#[ttl::kernel(compute)]
fn add(_compute: Compute, a_in: CbIn<bf16>, b_in: CbIn<bf16>, y_out: CbOut<bf16>, #[ttl(common)] tiles: u32) {
    for _ in 0..tiles {
        let a = a_in.wait_front(1);
        let b = b_in.wait_front(1);
        let mut y = y_out.reserve_back(1);
        y.store(a + b);
    }
}

/// Takes the sums back to DRAM.
#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<bf16>, y_in: CbIn<bf16>, #[ttl(common)] tiles: u32) {
    for i in 0..tiles {
        let tile = y_in.wait_front(1);
        noc.write_page(&y, i, &tile).flushed();
    }
}

/// Adds two tensors on one core of the simulated chip.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    /// First operand, a .npy file (default: random, 64 x 96)
    #[arg(long)]
    a: Option<PathBuf>,
    /// Second operand
    #[arg(long)]
    b: Option<PathBuf>,
}

fn main() -> std::process::ExitCode {
    common::exit(run(&Cli::parse()))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let a_host = common::input(cli.a.as_deref(), &[64, 96], cli.options.seed)?;
    let b_host = common::input(cli.b.as_deref(), a_host.shape(), cli.options.seed.wrapping_add(1))?;
    common::same_shape("b", &b_host, "a", &a_host)?;

    let mut device = cli.options.open()?;
    let a = device.upload::<bf16>("a", &a_host)?;
    let b = device.upload::<bf16>("b", &b_host)?;
    let y = device.zeros::<bf16>("y", a.shape())?;
    let tiles = y.pages();

    let core = Core::new(0, 0);
    let mut program = Program::new("add");
    let (a_out, a_in) = program.circular_buffer::<bf16>("a", core, 2);
    let (b_out, b_in) = program.circular_buffer::<bf16>("b", core, 2);
    let (y_out, y_in) = program.circular_buffer::<bf16>("y", core, 2);
    program.kernel(core, read { a: a.accessor(), b: b.accessor(), a_out, b_out, tiles });
    program.kernel(core, add { a_in, b_in, y_out, tiles });
    program.kernel(core, write { y: y.accessor(), y_in, tiles });

    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&y)?;
    let (a, b) = (common::rounded(&a_host), common::rounded(&b_host));
    let reference = common::map2(&a, &b, |a, b| a + b)?;
    common::export(&device, &program, &[(y.handle(), &result)], &cli.options)?;
    // One rounding to bf16, half a unit in the last place: at most 2^-8 of each element.
    common::finish("add", time, &result, &reference, 2f64.powi(-8), &cli.options)
}
