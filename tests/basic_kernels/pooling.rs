//! Means of the rows that count, and rows of length one.

use super::{both, error, grid, near, padding_is, random, settings};
use ttl::prelude::*;
use ttl_kernels::exact::Exact;
use ttl_kernels::pooling;

/// How many rows of each sentence count: all, one, none, and numbers between.
fn masks(batch: usize, rows: usize) -> HostTensor {
    let counts = |b: usize| [rows, 1, 0, rows / 2 + 1, rows.saturating_sub(3)][b % 5];
    HostTensor::from_fn([batch, rows], |i| if i % rows < counts(i / rows) { 1.0 } else { 0.0 }).expect("weights")
}

fn check_mean<Y: Element>(
    arch: Arch,
    cores: (u32, u32),
    config: &ComputeConfig,
    weights: &HostTensor,
    [batch, rows, n]: [usize; 3],
) {
    let what = format!("mean of [{batch}, {rows}, {n}] to {} on {cores:?} cores, {config:?}", Y::FORMAT);
    let x = random(&[batch, rows, n], DataFormat::Bf16, 8);
    let weights = &weights.to_format(DataFormat::Bf16);
    let (device, y) = both(arch, &what, |device| {
        // Nothing in the padding matters.
        let w = device.upload_padded::<bf16>("weights", weights, MemoryConfig::Dram, f32::NAN)?;
        let x = device.upload_padded::<bf16>("x", &x, MemoryConfig::Dram, f32::NAN)?;
        let y = device.zeros::<Y>("y", &[batch, n])?;
        Ok((pooling::mean_program(&grid(cores.0, cores.1), config.clone(), &w, &x, &y)?, y))
    });
    let (w, x) = (weights.to_f64_vec(), x.to_f64_vec());
    let (mut exact, mut size) = (vec![], vec![]);
    for b in 0..batch {
        let sum: f64 = w[b * rows..(b + 1) * rows].iter().sum();
        for j in 0..n {
            let terms = || (0..rows).map(|s| w[b * rows + s] * x[(b * rows + s) * n + j]);
            exact.push(terms().sum::<f64>() / sum.max(1e-9));
            size.push(terms().map(f64::abs).sum::<f64>() / sum.max(1e-9));
        }
    }
    // The matrix unit aligns products to 12 bits; 16-bit registers round each step, the sum of the weights and the quotient.
    let steps = rows.div_ceil(32) as f64;
    let registers = if config.fp32_dest_acc { 2f64.powi(-11) } else { (steps + 4.0) * 2f64.powi(-8) };
    let packed = if Y::FORMAT == DataFormat::Bf16 { 2f64.powi(-8) } else { 0.0 };
    near(&device, &y, &exact, |i| registers * size[i] + packed * exact[i].abs(), &what);
    padding_is(&device, &y, 0.0, &what);
}

#[test]
fn means_of_the_rows_that_count() {
    for config in settings() {
        for (arch, cores, shape) in [
            (Arch::blackhole(), (1, 1), [1, 1, 1]),
            (Arch::blackhole(), (3, 1), [5, 45, 384]),
            (Arch::blackhole(), (11, 10), [34, 33, 100]),
            (Arch::wormhole(), (2, 2), [7, 70, 70]),
        ] {
            let weights = masks(shape[0], shape[1]);
            check_mean::<bf16>(arch, cores, &config, &weights, shape);
        }
        check_mean::<f32>(Arch::blackhole(), (2, 2), &config, &masks(3, 40), [3, 40, 64]);
        let weights = HostTensor::uniform([4, 50], 0.0, 3.0, 2).expect("weights");
        check_mean::<f32>(Arch::wormhole(), (1, 1), &config, &weights, [4, 50, 96]);
    }
}

#[test]
fn shapes_of_means() {
    let [said, _] = error(|device| {
        let w = device.zeros::<bf16>("w", &[2, 40])?;
        let x = device.zeros::<bf16>("x", &[2, 41, 64])?;
        let y = device.zeros::<bf16>("y", &[2, 64])?;
        Ok((pooling::mean_program(&grid(1, 1), ComputeConfig::default(), &w, &x, &y)?, y))
    });
    assert!(said.contains("`weights` has shape [2, 40]; for `x` of shape [2, 41, 64] it must have [2, 41]"), "{said}");
}

fn check_normalise<T: Exact>(arch: Arch, cores: (u32, u32), config: &ComputeConfig, shape: &[usize]) {
    let what = format!("rows of {shape:?} of {} on {cores:?} cores, {config:?}", T::FORMAT);
    let n = shape[shape.len() - 1];
    // Row 1 is zero.
    let x = HostTensor::normal(shape, 9).expect("a tensor").to_f32_vec();
    let x = HostTensor::from_fn(shape, |i| if i / n == 1 { 0.0 } else { x[i] }).expect("a tensor").to_format(T::FORMAT);
    let (device, y) = both(arch, &what, |device| {
        let x = device.upload_padded::<T>("x", &x, MemoryConfig::Dram, 1e4)?;
        let y = device.zeros::<T>("y", shape)?;
        Ok((pooling::normalise_program(&grid(cores.0, cores.1), config.clone(), &x, &y)?, y))
    });
    let x = x.to_f64_vec();
    let exact: Vec<f64> = x
        .chunks(n)
        .flat_map(|row| {
            let length = row.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-12);
            row.iter().map(move |v| v / length)
        })
        .collect();
    // The sum and the factor through the matrix unit, x too if it is f32; bf16 where it is rounded to that. The root halves the error of the sum.
    let cols = n.div_ceil(32) as f64;
    let registers = if config.fp32_dest_acc { 2f64.powi(-9) } else { (cols / 2.0 + 3.0) * 2f64.powi(-8) };
    let packed = if T::FORMAT == DataFormat::Bf16 { 2f64.powi(-8) } else { 0.0 };
    near(&device, &y, &exact, |i| (registers + packed) * exact[i].abs(), &what);
}

#[test]
fn rows_of_length_one() {
    for config in settings() {
        check_normalise::<bf16>(Arch::blackhole(), (1, 1), &config, &[1, 1]);
        check_normalise::<bf16>(Arch::blackhole(), (3, 2), &config, &[3, 40, 384]);
        check_normalise::<bf16>(Arch::wormhole(), (2, 1), &config, &[70, 50]);
        check_normalise::<f32>(Arch::blackhole(), (2, 2), &config, &[35, 100]);
    }
}

/// One row of 800 tiles.
#[test]
fn rows_larger_than_l1() {
    check_normalise::<bf16>(Arch::blackhole(), (1, 1), &settings()[1], &[3, 800 * 32 - 7]);
}
