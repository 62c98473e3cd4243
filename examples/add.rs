//! y = a + b on one core, tile by tile: the smallest whole program.

mod common;

use clap::Parser;
use std::path::PathBuf;
use ttl::prelude::*;

/// y = a + b, as three threads that meet at circular buffers.
#[ttl::kernel]
fn add(a: TensorAccessor<bf16>, b: TensorAccessor<bf16>, y: TensorAccessor<bf16>, #[ttl(common)] tiles: u32) {
    let (a_out, a_in) = ttl::buffer::<bf16>(2);
    let (b_out, b_in) = ttl::buffer::<bf16>(2);
    let (y_out, y_in) = ttl::buffer::<bf16>(2);

    ttl::reader(|noc| {
        for i in 0..tiles {
            let mut a_tile = a_out.reserve_back(1);
            let mut b_tile = b_out.reserve_back(1);
            let a_read = noc.read_page(&a, i, &mut a_tile);
            let b_read = noc.read_page(&b, i, &mut b_tile);
            a_read.wait();
            b_read.wait();
        }
    });
    ttl::compute(|_compute| {
        for _ in 0..tiles {
            let a = a_in.wait_front(1);
            let b = b_in.wait_front(1);
            y_out.reserve_back(1).store(a + b);
        }
    });
    ttl::writer(|noc| {
        for i in 0..tiles {
            let tile = y_in.wait_front(1);
            noc.write_page(&y, i, &tile).flushed();
        }
    });
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

    let mut program = Program::new("add");
    program.operation(Core::new(0, 0), add { a: a.accessor(), b: b.accessor(), y: y.accessor(), tiles });

    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&y)?;
    let (a, b) = (common::rounded(&a_host), common::rounded(&b_host));
    let reference = common::map2(&a, &b, |a, b| a + b)?;
    common::export(&device, &program, &[(y.handle(), &result)], &cli.options)?;
    // One rounding to bf16, half a unit in the last place: at most 2^-8 of each element.
    common::finish("add", time, &result, &reference, 2f64.powi(-8), &cli.options)
}
