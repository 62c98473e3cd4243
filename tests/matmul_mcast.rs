//! The multicast matrix product: right on any grid, on both engines, under any schedule.

use ttl::prelude::*;
use ttl_kernels::{matmul, matmul_mcast};

type Built = ttl::Result<(Program, Tensor<bf16>)>;

fn random(shape: &[usize], seed: u64) -> HostTensor {
    HostTensor::normal(shape, seed).expect("a tensor").to_format(DataFormat::Bf16)
}

fn config() -> ComputeConfig {
    ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() }
}

fn product<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    device: &mut Device,
    [m, k, n]: [usize; 3],
    (columns, rows): (u32, u32),
) -> Built {
    let a = device.upload::<bf16>("a", &random(&[m, k], 1))?;
    let b = device.upload::<bf16>("b", &random(&[k, n], 2))?;
    let c = device.zeros::<bf16>("c", &matmul::result_shape(&a, &b)?)?;
    let grid = CoreRange::grid(columns, rows).expect("a grid");
    let program = matmul_mcast::program::<M, N, K, SM, SN>(grid, config(), &a, &b, &c)?;
    Ok((program, c))
}

#[track_caller]
fn check<const M: u32, const N: u32, const K: u32, const SM: u32, const SN: u32>(
    arch: Arch,
    sizes: [usize; 3],
    grid: (u32, u32),
) {
    let what = format!("{sizes:?} in blocks of {M}x{N}x{K} on {grid:?}");
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let ran = ttl::testing::on_both_engines(&options, |d| product::<M, N, K, SM, SN>(d, sizes, grid));
    let (device, c) = ran.unwrap_or_else(|e| panic!("{what}: {e}"));
    let got = device.download(&c).expect("on this device");
    let [m, k, n] = sizes;
    let (a, b) = (random(&[m, k], 1).to_f32_vec(), random(&[k, n], 2).to_f32_vec());
    let (mut difference, mut norm) = (0f64, 0f64);
    for i in 0..m {
        for j in 0..n {
            let exact: f64 = (0..k).map(|p| f64::from(a[i * k + p]) * f64::from(b[p * n + j])).sum();
            difference += (f64::from(got.get(i * n + j).expect("an element")) - exact).powi(2);
            norm += exact * exact;
        }
    }
    let error = (difference / norm).sqrt();
    assert!(error < 2f64.powi(-8) && error > 0.0, "{what}: off by {error:e}");
}

#[test]
fn any_grid_and_block() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        check::<1, 1, 1, 1, 1>(arch, [96, 64, 128], (4, 3));
        check::<1, 1, 1, 1, 1>(arch, [64, 96, 64], (1, 1));
        check::<1, 1, 2, 1, 1>(arch, [64, 64, 96], (3, 1));
        check::<2, 1, 1, 2, 1>(arch, [256, 64, 64], (1, 4));
        check::<2, 2, 2, 2, 2>(arch, [128, 128, 192], (3, 2));
        check::<4, 4, 2, 2, 2>(arch, [256, 128, 256], (2, 2));
    }
}

/// relu(a * b + bias), against the exact result.
#[track_caller]
fn check_with_bias<const M: u32, const N: u32, const K: u32>(
    arch: Arch,
    fp32_dest_acc: bool,
    [m, k, n]: [usize; 3],
    (columns, rows): (u32, u32),
) {
    let what = format!("{m} x {k} x {n} in blocks of {M}x{N}x{K} on {columns}x{rows}, {}", arch.name());
    let options = DeviceOptions { arch, ..DeviceOptions::default() };
    let build = |device: &mut Device| {
        let a = device.upload::<bf16>("a", &random(&[m, k], 1))?;
        let b = device.upload::<bf16>("b", &random(&[k, n], 2))?;
        let bias = device.upload::<bf16>("bias", &random(&[1, n], 3))?;
        let c = device.zeros::<bf16>("c", &[m, n])?;
        let grid = CoreRange::grid(columns, rows).expect("a grid");
        let config = ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() };
        let tensors = [&a, &b, &bias, &c];
        Ok((matmul_mcast::program_with_bias_and_relu::<M, N, K>(grid, config, tensors)?, c))
    };
    let ran = ttl::testing::on_both_engines(&options, build);
    let (device, c) = ran.unwrap_or_else(|e| panic!("{what}: {e}"));
    let got = device.download(&c).expect("on this device");
    let [a, b, bias] = [(m * k, 1), (k * n, 2), (n, 3)].map(|(size, seed)| {
        let shape = if seed == 1 { [m, k] } else { [size / n, n] };
        random(&shape, seed).to_f32_vec()
    });
    let (mut difference, mut norm) = (0f64, 0f64);
    for i in 0..m {
        for j in 0..n {
            let sum: f64 = (0..k).map(|p| f64::from(a[i * k + p]) * f64::from(b[p * n + j])).sum();
            let exact = (sum + f64::from(bias[j])).max(0.0);
            difference += (f64::from(got.get(i * n + j).expect("an element")) - exact).powi(2);
            norm += exact * exact;
        }
    }
    let error = (difference / norm).sqrt();
    // 16-bit registers round each sum.
    let bound = if fp32_dest_acc { 2f64.powi(-8) } else { 2f64.powi(-5) };
    assert!(error < bound && error > 0.0, "{what}: off by {error:e}");
}

#[test]
fn with_bias_and_relu() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        check_with_bias::<1, 1, 1>(arch, true, [96, 64, 128], (4, 3));
        check_with_bias::<2, 2, 2>(arch, true, [128, 128, 192], (3, 2));
        check_with_bias::<1, 2, 1>(arch, true, [64, 96, 128], (1, 1));
        check_with_bias::<2, 4, 1>(arch, false, [128, 64, 256], (2, 2));
        check_with_bias::<2, 1, 2>(arch, false, [128, 64, 64], (1, 2));
    }
}

#[test]
fn a_bias_of_another_width() {
    let mut device = Device::open().expect("a device");
    let x = device.zeros::<bf16>("x", &[64, 64]).expect("it fits");
    let bias = device.zeros::<bf16>("bias", &[1, 96]).expect("it fits");
    let grid = CoreRange::grid(1, 1).expect("a grid");
    let made = matmul_mcast::program_with_bias_and_relu::<1, 1, 1>(grid, config(), [&x, &x, &bias, &x]);
    let message = made.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message.contains("the bias has 1 x 3 tiles, must be a row of 2"), "{message}");
}

#[test]
fn whatever_the_schedule() {
    let run = |engine, schedule, threads| {
        let run = RunOptions { schedule, threads, ..RunOptions::default() };
        let made = || {
            let mut device = Device::with_options(DeviceOptions { engine, run, ..DeviceOptions::default() })?;
            let (program, _) = product::<2, 2, 1, 2, 2>(&mut device, [128, 96, 192], (3, 2))?;
            let program = program.validate(&device)?;
            device.run(&program)?;
            Ok(device)
        };
        made().unwrap_or_else(|e: ttl::Error| panic!("{engine:?} {schedule:?}: {e}"))
    };
    let first = run(Engine::Native, Schedule::RoundRobin, 1);
    for engine in [Engine::Native, Engine::Cpp] {
        for seed in 0..10 {
            let other = run(engine, Schedule::Random(seed), 1 + seed as usize % 3);
            if let Some(difference) = first.first_difference(&other) {
                panic!("{engine:?}, seed {seed}: {difference}");
            }
        }
    }
}

/// The same tiles as the product that reads everything on every core, from fewer reads.
#[test]
fn every_tile_is_read_once() {
    let mut device = Device::open().expect("a device");
    let (program, _) = product::<2, 2, 2, 2, 2>(&mut device, [256, 128, 256], (4, 4)).expect("a program");
    let program = program.validate(&device).expect("valid");
    let report = device.run(&program).expect("it runs");
    let tiles = (256 / 32) * (128 / 32) * 2;
    assert_eq!(report.noc_read_bytes, tiles * 2048);
}
