//! y = relu(a + b) over a grid of cores, on tensors that lie in the cores' own memory: the circular buffers are the shards, and nothing moves.

mod common;

use clap::Parser;
use ttl::prelude::*;

/// Both shards are there already: gives them to the compute kernel.
#[ttl::kernel(reader)]
fn publish(_noc: Noc, a_out: CbOut<bf16>, b_out: CbOut<bf16>, #[ttl(common)] tiles: u32) {
    a_out.reserve_back(tiles).push_back();
    b_out.reserve_back(tiles).push_back();
}

/// Writes into the shard of the result: no kernel takes it away.
#[ttl::kernel(compute)]
fn add(_compute: Compute, a_in: CbIn<bf16>, b_in: CbIn<bf16>, y_out: CbOut<bf16>, #[ttl(common)] tiles: u32) {
    for _ in 0..tiles {
        let a = a_in.wait_front(1);
        let b = b_in.wait_front(1);
        y_out.reserve_back(1).store((a + b).relu());
    }
}

/// Adds two tensors that are sharded over cores of the simulated chip.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: common::Options,
    /// Columns and rows of cores
    #[arg(long, num_args = 2, value_names = ["X", "Y"], default_values_t = [3, 2])]
    cores: Vec<u32>,
    /// Rows and columns of a shard, multiples of 32
    #[arg(long, num_args = 2, value_names = ["ROWS", "COLUMNS"], default_values_t = [64, 96])]
    shard: Vec<u32>,
}

fn main() -> std::process::ExitCode {
    common::exit(run(&Cli::parse()))
}

fn run(cli: &Cli) -> ttl::Result<()> {
    let (x, y, shard) = (cli.cores[0], cli.cores[1], [cli.shard[0], cli.shard[1]]);
    let cores = CoreRange::grid(x, y).ok_or_else(|| ttl::Error::Other(format!("{x} x {y} cores are none")))?;
    let shape = [(y * shard[0]) as usize, (x * shard[1]) as usize];
    let a_host = common::input(None, &shape, cli.options.seed)?;
    let b_host = common::input(None, &shape, cli.options.seed.wrapping_add(1))?;

    let mut device = cli.options.open()?;
    let memory = MemoryConfig::Sharded(ShardSpec::block(shard, cores));
    let a = device.upload_in::<bf16>("a", &a_host, memory.clone())?;
    let b = device.upload_in::<bf16>("b", &b_host, memory.clone())?;
    let y = device.zeros_in::<bf16>("y", &shape, memory)?;
    let tiles = y.shard_pages();

    let mut program = Program::new("sharded");
    let (a_out, a_in) = program.circular_buffer_on(&a);
    let (b_out, b_in) = program.circular_buffer_on(&b);
    let (y_out, _) = program.circular_buffer_on(&y);
    program.kernel(cores, publish { a_out, b_out, tiles });
    program.kernel(cores, add { a_in, b_in, y_out, tiles });

    let program = program.validate(&device)?;
    let time = common::run(&mut device, &program, &cli.options)?;

    let result = device.download(&y)?;
    let (a, b) = (common::rounded(&a_host), common::rounded(&b_host));
    let reference = common::map2(&a, &b, |a, b| (a + b).max(0.0))?;
    common::export(&device, &program, &[(y.handle(), &result)], &cli.options)?;
    // One rounding to bf16, half a unit in the last place: at most 2^-8 of each element.
    common::finish("sharded", time, &result, &reference, 2f64.powi(-8), &cli.options)
}
