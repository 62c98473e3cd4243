//! Softmax of each row, 2048 x 1024 in bf16, over all cores: rows of any width, reductions and broadcasts in block expressions.

mod common;

use clap::Parser;
use std::path::PathBuf;
use ttl::prelude::*;
use ttl_kernels::rows::RowOptions;
use ttl_kernels::softmax::{self, Kind};

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
    /// Columns of a random matrix
    #[arg(long, default_value_t = 1024)]
    cols: usize,
    /// 32-bit tile registers, f32 between the parts
    #[arg(long)]
    fp32_acc: bool,
}

fn main() -> std::process::ExitCode {
    common::exit(run(&Cli::parse()))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let x_host = common::input(cli.x.as_deref(), &[cli.rows, cli.cols], cli.options.seed)?;
    let mut device = cli.options.open()?;
    let x = device.upload::<bf16>("x", &x_host)?;
    let y = device.zeros::<bf16>("y", x.shape())?;
    let config = ComputeConfig { fp32_dest_acc: cli.fp32_acc, ..ComputeConfig::default() };
    let program = softmax::program_with(&device.grid(), config, &RowOptions::on(&device), Kind::Softmax, &x, &y)?;
    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&y)?;
    let rounded = common::rounded(&x_host);
    let values = rounded.to_f32_vec();
    let cols = x.shape().last().copied().unwrap_or(1);
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
