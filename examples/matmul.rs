//! c = a * b, 1024 x 1024 x 1024 in bf16, over all cores.

mod common;

use clap::Parser;
use std::path::PathBuf;
use ttl::prelude::*;
use ttl_kernels::matmul;

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
    /// Tiles along each side of a block: 1, 2 or 4
    #[arg(long, default_value = "4", value_parser = ["1", "2", "4"])]
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
    let program = match cli.block.as_str() {
        "1" => matmul::program::<1, 1, 1, 1, 1>(&grid, config, &a, &b, &c),
        "2" => matmul::program::<2, 2, 2, 2, 2>(&grid, config, &a, &b, &c),
        _ => matmul::program::<4, 4, 4, 2, 2>(&grid, config, &a, &b, &c),
    }?;
    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&c)?;
    let reference = product(&common::rounded(&a_host), &common::rounded(&b_host))?;
    common::export(&device, &program, &[(c.handle(), &result)], &cli.options)?;
    // One rounding to bf16, and products aligned to 12 bits in groups of eight; fewer bits of the operands at lower fidelity.
    let bound = match cli.fidelity {
        common::FidelityArg::Lofi => 2f64.powi(-4),
        common::FidelityArg::Hifi2 => 2f64.powi(-7),
        _ => 2f64.powi(-8),
    };
    common::finish("matmul", time, &result, &reference, bound, &cli.options)
}

/// The product in f64, rounded once to f32.
fn product(a: &HostTensor, b: &HostTensor) -> ttl::Result<HostTensor> {
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let (a, b) = (a.to_f32_vec(), b.to_f32_vec());
    let mut c = vec![0f32; m * n];
    let mut row = vec![0f64; n];
    for i in 0..m {
        row.fill(0.0);
        for p in 0..k {
            let x = f64::from(a[i * k + p]);
            for (sum, y) in row.iter_mut().zip(&b[p * n..][..n]) {
                *sum += x * f64::from(*y);
            }
        }
        for (to, sum) in c[i * n..][..n].iter_mut().zip(&row) {
            *to = *sum as f32;
        }
    }
    Ok(HostTensor::from_vec([m, n], c)?)
}
