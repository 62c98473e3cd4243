//! y = a * b + c, 2048 x 2048 in bf16, over all cores.

mod common;

use clap::Parser;
use std::path::PathBuf;
use ttl::prelude::*;
use ttl_kernels::fma;

/// Multiplies and adds three matrices element by element, over all cores of the simulated chip.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    /// Operands, .npy files of one shape (default: random)
    #[arg(long)]
    a: Option<PathBuf>,
    #[arg(long)]
    b: Option<PathBuf>,
    #[arg(long)]
    c: Option<PathBuf>,
    /// Rows and columns of random operands
    #[arg(long, num_args = 2, value_names = ["ROWS", "COLS"], default_values_t = [2048, 2048])]
    size: Vec<usize>,
    /// Tiles in a block
    #[arg(long, default_value = "4", value_parser = ["1", "2", "4", "8", "16"])]
    block: String,
    /// 32-bit tile registers
    #[arg(long)]
    fp32_acc: bool,
    #[arg(long, value_enum, default_value = "hifi4")]
    fidelity: common::FidelityArg,
}

fn main() -> std::process::ExitCode {
    common::exit(run(&Cli::parse()))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let seed = cli.options.seed;
    let a_host = common::input(cli.a.as_deref(), &cli.size, seed)?;
    let b_host = common::input(cli.b.as_deref(), a_host.shape(), seed.wrapping_add(1))?;
    let c_host = common::input(cli.c.as_deref(), a_host.shape(), seed.wrapping_add(2))?;
    common::same_shape("b", &b_host, "a", &a_host)?;
    common::same_shape("c", &c_host, "a", &a_host)?;

    let mut device = cli.options.open()?;
    let a = device.upload::<bf16>("a", &a_host)?;
    let b = device.upload::<bf16>("b", &b_host)?;
    let c = device.upload::<bf16>("c", &c_host)?;
    let y = device.zeros::<bf16>("y", a.shape())?;

    let config = ComputeConfig {
        fidelity: common::fidelity(cli.fidelity),
        fp32_dest_acc: cli.fp32_acc,
        ..ComputeConfig::default()
    };
    let grid = device.grid();
    let tensors = [&a, &b, &c, &y];
    let program = match cli.block.as_str() {
        "1" => fma::program::<1>(&grid, config, tensors),
        "2" => fma::program::<2>(&grid, config, tensors),
        "4" => fma::program::<4>(&grid, config, tensors),
        "8" => fma::program::<8>(&grid, config, tensors),
        _ => fma::program::<16>(&grid, config, tensors),
    }?;
    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&y)?;
    let (a, b, c) = (common::rounded(&a_host), common::rounded(&b_host), common::rounded(&c_host));
    let (a_values, b_values, c_values) = (a.to_f32_vec(), b.to_f32_vec(), c.to_f32_vec());
    let reference = HostTensor::from_fn(a.shape(), |i| a_values[i].mul_add(b_values[i], c_values[i]))?;
    common::export(&device, &program, &[(y.handle(), &result)], &cli.options)?;
    // A rounding to bf16 is at most 2^-8 of the value: one when 32-bit registers are packed, four with 16-bit ones, which round after each
    // pass of the multiplier. Fewer passes drop the low bits of the operands.
    let bound = match (cli.fidelity, cli.fp32_acc) {
        (common::FidelityArg::Lofi, _) => 2f64.powi(-4),
        (_, true) => 2f64.powi(-8),
        (_, false) => 2f64.powi(-6),
    };
    common::finish("fma", time, &result, &reference, bound, &cli.options)
}
