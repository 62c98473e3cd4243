//! c = a * b, 1024 x 1024 x 1024 in bf16: every tile of a and b is read once and multicast along rows and down columns of cores.

mod common;

use clap::Parser;
use common::product::{self, ProductArgs};
use ttl::prelude::*;
use ttl_kernels::matmul::{self, Options, Strategy};

/// Multiplies two matrices; the first cores of rows and columns read the operands for the others.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    #[command(flatten)]
    product: ProductArgs,
    /// Columns and rows of cores at most (default: the whole chip)
    #[arg(long, num_args = 2, value_names = ["COLUMNS", "ROWS"])]
    grid: Vec<u32>,
}

fn main() -> std::process::ExitCode {
    common::exit(run(&Cli::parse()))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let [a_host, b_host] = cli.product.operands(cli.options.seed)?;

    let mut device = cli.options.open()?;
    let a = device.upload::<bf16>("a", &a_host)?;
    let b = device.upload::<bf16>("b", &b_host)?;
    let c = device.zeros::<bf16>("c", &matmul::result_shape(&a, &b)?)?;

    let grid = grid(&device, &cli.grid)?;
    let options = Options { blocks: cli.product.blocks(), strategy: Strategy::Multicast, ..Options::default() };
    let program = matmul::program(&grid.into(), cli.product.config(), &a, &b, &c, &options)?;
    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&c)?;
    let reference = product::product(&common::rounded(&a_host), &common::rounded(&b_host))?;
    common::export(&device, &program, &[(c.handle(), &result)], &cli.options)?;
    common::finish(
        "matmul_mcast",
        time,
        &result,
        &reference,
        product::product_bound(cli.product.fidelity),
        &cli.options,
    )
}

/// The cores to use: as many as asked for, from the first on.
fn grid(device: &Device, asked: &[u32]) -> ttl::Result<CoreRange> {
    let whole = device.grid();
    let all = whole.as_rectangle().ok_or_else(|| ttl::Error::Other(format!("the cores {whole} are no rectangle")))?;
    let &[columns, rows] = asked else { return Ok(all) };
    match CoreRange::grid(columns, rows) {
        Some(range) if whole.contains(range.last()) => Ok(range),
        _ => Err(ttl::Error::Other(format!("{columns} x {rows} cores are asked for, the chip has {all}"))),
    }
}
