//! Softmax of each row, 2048 x 1024 in bf16, over all cores: reductions and broadcasts in a block expression.

mod common;

use clap::Parser;
use std::path::PathBuf;
use ttl::prelude::*;
use ttl_kernels::softmax;

/// Computes the softmax of each row of a matrix, over all cores of the simulated chip.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    /// The matrix, a .npy file (default: random)
    #[arg(long)]
    x: Option<PathBuf>,
    /// Rows of a random matrix
    #[arg(long, default_value_t = 2048)]
    rows: usize,
    /// Tiles in a row
    #[arg(long, default_value = "32", value_parser = ["4", "8", "16", "32"])]
    width: String,
    /// 32-bit tile registers, f32 between the parts
    #[arg(long)]
    fp32_acc: bool,
}

fn main() -> std::process::ExitCode {
    common::exit(run(&Cli::parse()))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let width: usize = cli.width.parse().unwrap_or(32);
    let x_host = common::input(cli.x.as_deref(), &[cli.rows, 32 * width], cli.options.seed)?;
    let mut device = cli.options.open()?;
    let x = device.upload::<bf16>("x", &x_host)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let config = ComputeConfig { fp32_dest_acc: cli.fp32_acc, ..ComputeConfig::default() };
    let grid = device.grid();
    let program = match width {
        4 => softmax::program::<4>(&grid, config, &x, &y),
        8 => softmax::program::<8>(&grid, config, &x, &y),
        16 => softmax::program::<16>(&grid, config, &x, &y),
        _ => softmax::program::<32>(&grid, config, &x, &y),
    }?;
    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&y)?;
    let rounded = common::rounded(&x_host);
    let values = rounded.to_f32_vec();
    let cols = 32 * width;
    let mut expected = Vec::with_capacity(values.len());
    for row in values.chunks_exact(cols) {
        let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let exps: Vec<f64> = row.iter().map(|v| f64::from(v - max).exp()).collect();
        let sum: f64 = exps.iter().sum();
        expected.extend(exps.iter().map(|e| (e / sum) as f32));
    }
    let reference = HostTensor::from_fn(x.shape(), |i| expected[i])?;
    common::export(&device, &program, &[(y.handle(), &result)], &cli.options)?;
    // 16-bit registers round the partial sums of a row.
    let bound = if cli.fp32_acc { 2f64.powi(-6) } else { 2f64.powi(-4) };
    common::finish("softmax", time, &result, &reference, bound, &cli.options)
}
