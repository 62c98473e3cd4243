//! c = a * b, 1024 x 1024 x 1024 in bf16, over all cores.

mod common;

use clap::Parser;
use common::product::{self, ProductArgs};
use ttl::prelude::*;
use ttl_kernels::matmul::{self, Options, Strategy};

/// Multiplies two matrices over all cores of the simulated chip.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    #[command(flatten)]
    product: ProductArgs,
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

    let grid = device.grid();
    let options = Options { blocks: cli.product.blocks(), strategy: Strategy::Unicast, ..Options::default() };
    let program = matmul::program(&grid, cli.product.config(), &a, &b, &c, &options)?;
    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&c)?;
    let reference = product::product(&common::rounded(&a_host), &common::rounded(&b_host))?;
    common::export(&device, &program, &[(c.handle(), &result)], &cli.options)?;
    common::finish("matmul", time, &result, &reference, product::product_bound(cli.product.fidelity), &cli.options)
}
