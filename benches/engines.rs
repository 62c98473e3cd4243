//! Times fma 2048^2, matmul 1024^3, matmul with multicast and softmax 1024^2 on both engines, with blocks of one tile and of 4x4 tiles (softmax:
//! whole rows), the matrix products also with fast numerics: medians of one process.
//!
//! `cargo bench --bench engines [-- RUNS] [native|cpp]`. Each line is one JSON object: name, engine, seconds (median), min, max, tiles.

use std::time::Instant;
use ttl::prelude::*;
use ttl_kernels::matmul::{self, Blocks, Options, Strategy};
use ttl_kernels::{fma, softmax};

fn main() -> ttl::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let runs = args.iter().find_map(|a| a.parse().ok()).unwrap_or(9);
    let only = args.iter().find_map(|a| a.parse::<Engine>().ok());
    for engine in [Engine::Native, Engine::Cpp] {
        if only.is_some_and(|o| o != engine) {
            continue;
        }
        use MathFidelity::{HiFi4, LoFi};
        use Numerics::{Exact, Fast};
        fma_2048::<1>(engine, runs, "1x1")?;
        fma_2048::<16>(engine, runs, "4x4")?;
        matmul_1024(engine, runs, ONE, HiFi4, Exact)?;
        matmul_1024(engine, runs, FOUR, HiFi4, Exact)?;
        matmul_1024(engine, runs, FOUR, LoFi, Exact)?;
        matmul_1024(engine, runs, ONE, HiFi4, Fast)?;
        matmul_1024(engine, runs, FOUR, HiFi4, Fast)?;
        mcast_1024(engine, runs, ONE, Exact)?;
        mcast_1024(engine, runs, FOUR, Exact)?;
        mcast_1024(engine, runs, ONE, Fast)?;
        mcast_1024(engine, runs, FOUR, Fast)?;
        softmax_1024(engine, runs)?;
    }
    Ok(())
}

fn device(engine: Engine, numerics: Numerics) -> ttl::Result<Device> {
    let run = RunOptions { numerics, ..RunOptions::default() };
    Device::with_options(DeviceOptions { engine, run, ..DeviceOptions::default() })
}

fn fma_2048<const BLOCK: u32>(engine: Engine, runs: usize, blocks: &str) -> ttl::Result<()> {
    let mut device = device(engine, Numerics::Exact)?;
    let host: Vec<HostTensor> = (0..3).map(|s| HostTensor::normal([2048, 2048], s)).collect::<Result<_, _>>()?;
    let a = device.upload::<bf16>("a", &host[0])?;
    let b = device.upload::<bf16>("b", &host[1])?;
    let c = device.upload::<bf16>("c", &host[2])?;
    let y = device.zeros::<bf16>("y", &[2048, 2048])?;
    let program = fma::program::<BLOCK>(&device.grid(), ComputeConfig::default(), [&a, &b, &c, &y])?;
    let program = program.validate(&device)?;
    measure(&mut device, &program, engine, runs, &format!("fma_2048_b{blocks}"), 4096)
}

const ONE: Blocks = Blocks { m: 1, n: 1, k: 1, sub_m: 1, sub_n: 1 };
const FOUR: Blocks = Blocks { m: 4, n: 4, k: 4, sub_m: 2, sub_n: 2 };

fn matmul_1024(
    engine: Engine,
    runs: usize,
    blocks: Blocks,
    fidelity: MathFidelity,
    numerics: Numerics,
) -> ttl::Result<()> {
    let mut device = device(engine, numerics)?;
    let a = device.upload::<bf16>("a", &HostTensor::normal([1024, 1024], 1)?)?;
    let b = device.upload::<bf16>("b", &HostTensor::normal([1024, 1024], 2)?)?;
    let c = device.zeros::<bf16>("c", &[1024, 1024])?;
    let config = ComputeConfig { fidelity, fp32_dest_acc: true, ..ComputeConfig::default() };
    let options = Options { blocks: Some(blocks), strategy: Strategy::Unicast, ..Options::default() };
    let program = matmul::program(&device.grid(), config, &a, &b, &c, &options)?;
    let program = program.validate(&device)?;
    let fast = if numerics == Numerics::Fast { "_Fast" } else { "" };
    let name = format!("matmul_1024_b{0}x{0}_{fidelity:?}{fast}", blocks.m);
    measure(&mut device, &program, engine, runs, &name, 32768)
}

/// On 8 x 8 cores, the first of each row and column sending to the others.
fn mcast_1024(engine: Engine, runs: usize, blocks: Blocks, numerics: Numerics) -> ttl::Result<()> {
    let mut device = device(engine, numerics)?;
    let a = device.upload::<bf16>("a", &HostTensor::normal([1024, 1024], 1)?)?;
    let b = device.upload::<bf16>("b", &HostTensor::normal([1024, 1024], 2)?)?;
    let c = device.zeros::<bf16>("c", &[1024, 1024])?;
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let grid = CoreRange::new(Core::new(0, 0), Core::new(7, 7));
    let options = Options { blocks: Some(blocks), strategy: Strategy::Multicast, ..Options::default() };
    let program = matmul::program(&grid.into(), config, &a, &b, &c, &options)?;
    let program = program.validate(&device)?;
    let fast = if numerics == Numerics::Fast { "_Fast" } else { "" };
    measure(&mut device, &program, engine, runs, &format!("matmul_mcast_1024_b{0}x{0}{fast}", blocks.m), 32768)
}

/// On 8 x 4 cores, one row of 32 tiles each.
fn softmax_1024(engine: Engine, runs: usize) -> ttl::Result<()> {
    let mut device = device(engine, Numerics::Exact)?;
    let x = device.upload::<bf16>("x", &HostTensor::normal([1024, 1024], 1)?)?;
    let y = device.zeros::<bf16>("y", &[1024, 1024])?;
    let grid = CoreSet::from(CoreRange::new(Core::new(0, 0), Core::new(7, 3)));
    let program = softmax::program(&grid, ComputeConfig::default(), &x, &y)?;
    let program = program.validate(&device)?;
    measure(&mut device, &program, engine, runs, "softmax_1024", 1024)
}

fn measure(
    device: &mut Device,
    program: &CheckedProgram,
    engine: Engine,
    runs: usize,
    name: &str,
    tiles: u32,
) -> ttl::Result<()> {
    device.prepare(program)?;
    device.run(program)?;
    let mut times = vec![];
    for _ in 0..runs {
        let start = Instant::now();
        device.run(program)?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let (median, min, max) = (times[times.len() / 2], times[0], times[times.len() - 1]);
    println!(
        "{{\"name\": \"{name}\", \"engine\": \"{engine:?}\", \"seconds\": {median:.5}, \"min\": {min:.5}, \"max\": {max:.5}, \
         \"tiles\": {tiles}, \"runs\": {runs}}}"
    );
    Ok(())
}
