//! c = a * b, 1024 x 1024 x 1024 in bf16, over all cores.

mod common;

use clap::Parser;
use std::path::PathBuf;
use ttl::prelude::*;
use ttl_kernels::matmul::{self, Blocks, Options, Strategy};

/// Multiplies two matrices over all cores of the simulated chip.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    /// Left operand, a .npy file of M x K (default: random)
    #[arg(long)]
    a: Option<PathBuf>,
    /// Right operand, K x N
    #[arg(long)]
    b: Option<PathBuf>,
    /// M, N and K of random operands
    #[arg(long, num_args = 3, value_names = ["M", "N", "K"], default_values_t = [1024, 1024, 1024])]
    size: Vec<usize>,
    /// Tiles along each side of a block: 1, 2, 4, or chosen from the sizes
    #[arg(long, default_value = "4", value_parser = ["1", "2", "4", "auto"])]
    block: String,
    #[arg(long, value_enum, default_value = "hifi4")]
    fidelity: common::FidelityArg,
}

fn main() -> std::process::ExitCode {
    common::exit(run(&Cli::parse()))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let seed = cli.options.seed;
    let (m, n, k) = (cli.size[0], cli.size[1], cli.size[2]);
    let a_host = common::input(cli.a.as_deref(), &[m, k], seed)?;
    let b_host = common::input(cli.b.as_deref(), &[k, n], seed.wrapping_add(1))?;

    let mut device = cli.options.open()?;
    let a = device.upload::<bf16>("a", &a_host)?;
    let b = device.upload::<bf16>("b", &b_host)?;
    let c = device.zeros::<bf16>("c", &matmul::result_shape(&a, &b)?)?;

    // 32-bit registers: a sum of a thousand products needs them.
    let config =
        ComputeConfig { fidelity: common::fidelity(cli.fidelity), fp32_dest_acc: true, ..ComputeConfig::default() };
    let grid = device.grid();
    let blocks = match cli.block.as_str() {
        "1" => Some(Blocks { m: 1, n: 1, k: 1, sub_m: 1, sub_n: 1 }),
        "2" => Some(Blocks { m: 2, n: 2, k: 2, sub_m: 2, sub_n: 2 }),
        "4" => Some(Blocks { m: 4, n: 4, k: 4, sub_m: 2, sub_n: 2 }),
        _ => None,
    };
    let options = Options { blocks, strategy: Strategy::Unicast, ..Options::default() };
    let program = matmul::program(&grid, config, &a, &b, &c, &options)?;
    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&c)?;
    let reference = common::product(&common::rounded(&a_host), &common::rounded(&b_host))?;
    common::export(&device, &program, &[(c.handle(), &result)], &cli.options)?;
    common::finish("matmul", time, &result, &reference, common::product_bound(cli.fidelity), &cli.options)
}
