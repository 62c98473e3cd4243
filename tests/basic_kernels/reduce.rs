//! Sums, means, largest and smallest along either dimension and both.

use super::dice::Dice;
use super::{both, error, grid, near, padding_is, random, settings};
use ttl::prelude::*;
use ttl_kernels::exact::Exact;
use ttl_kernels::reduce::{self, Axis, Reduction};

/// Whether an element belongs to a result.
fn reduced(x: &[f64], [batch, m, n]: [usize; 3], axis: Axis) -> Vec<Vec<f64>> {
    let (rows, cols) = match axis {
        Axis::Last => (m, 1),
        Axis::SecondLast => (1, n),
        Axis::Both => (1, 1),
    };
    let mut results = vec![vec![]; batch * rows * cols];
    for (i, x) in x.iter().enumerate() {
        let (b, r, c) = (i / (m * n), i / n % m, i % n);
        results[(b * rows + r.min(rows - 1)) * cols + c.min(cols - 1)].push(*x);
    }
    results
}

/// How far a register's sum of so many tiles may be off, as a part of it. All numbers have one sign: no partial sum is larger than the sum.
fn of_a_sum(format: DataFormat, wide: bool, tiles: usize) -> f64 {
    let (f32, bf16) = (2f64.powi(-24), 2f64.powi(-8));
    let added_up = match (format, wide) {
        // Two passes of the matrix unit for the upper and lower bits of a tile. A pass aligns the term and the old sum to the larger of them, in 24 or 11
        // bits, and rounds the new sum to the register.
        (DataFormat::Bf16, true) => 2.0 * tiles as f64 * 3.0 * f32,
        (DataFormat::Bf16, false) => 2.0 * tiles as f64 * (bf16 + 2.0 * 2f64.powi(-11)),
        // The packer rounds to f32. 16-bit registers cut what goes to it and what comes back.
        (_, true) => tiles as f64 * f32,
        (_, false) => tiles as f64 * f32 + 2.0 * 2.0 * bf16,
    };
    // The vector unit: 6 additions along a row, 7 along a column, a product with a rounded factor, in f32; 16-bit registers cut the up to three results.
    added_up + 15.0 * f32 + if wide { 0.0 } else { 3.0 * 2.0 * bf16 }
}

fn check<T: Exact, Y: Exact>(arch: Arch, cores: (u32, u32), config: &ComputeConfig, shape: [usize; 3], all: bool) {
    // All numbers are negative, so that a zero of the padding would be the largest.
    let x = random(&shape, T::FORMAT, 6).to_f32_vec();
    let x = HostTensor::from_fn(shape, |i| -x[i].abs() - 0.5).expect("a tensor").to_format(T::FORMAT);
    let exact_x = x.to_f64_vec();
    let [batch, m, n] = shape;
    for axis in [Axis::Last, Axis::SecondLast, Axis::Both] {
        let results = reduced(&exact_x, shape, axis);
        let (tiles, of) = match axis {
            Axis::Last => (n.div_ceil(32), [batch, m, 1]),
            Axis::SecondLast => (m.div_ceil(32), [batch, 1, n]),
            Axis::Both => (n.div_ceil(32) * m.div_ceil(32), [batch, 1, 1]),
        };
        let reductions = [Reduction::Mean, Reduction::Max, Reduction::Sum, Reduction::Min];
        for reduction in reductions.into_iter().take(if all { 4 } else { 2 }) {
            let what = format!(
                "{reduction:?} of {shape:?} along {axis:?}, {} to {}, on {cores:?} cores, {config:?}",
                T::FORMAT,
                Y::FORMAT
            );
            let (device, y) = both(arch, &what, |device| {
                let x = device.upload_padded::<T>("x", &x, MemoryConfig::Dram, 1e30)?;
                let y = device.zeros::<Y>("y", &of)?;
                let grid = grid(cores.0, cores.1);
                Ok((reduce::program(&grid, config.clone(), reduction, axis, &x, &y)?, y))
            });
            let value = |of: &Vec<f64>| -> f64 {
                match reduction {
                    Reduction::Sum => of.iter().sum(),
                    Reduction::Mean => of.iter().sum::<f64>() / of.len() as f64,
                    Reduction::Max => of.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    Reduction::Min => of.iter().copied().fold(f64::INFINITY, f64::min),
                }
            };
            let exact: Vec<f64> = results.iter().map(value).collect();
            let sums = matches!(reduction, Reduction::Sum | Reduction::Mean);
            let bound = if sums { of_a_sum(T::FORMAT, config.fp32_dest_acc, tiles) } else { 0.0 };
            // f32 is cut to bf16 on the way to 16-bit registers.
            let cut = if !sums && T::FORMAT == DataFormat::F32 && !config.fp32_dest_acc { 2f64.powi(-7) } else { 0.0 };
            // From 32-bit registers the packer rounds what is not of bf16 yet.
            let rounds =
                Y::FORMAT == DataFormat::Bf16 && config.fp32_dest_acc && (sums || T::FORMAT == DataFormat::F32);
            let packed = if rounds { 2f64.powi(-8) } else { 0.0 };
            let bound = bound + cut + packed;
            near(&device, &y, &exact, |i| bound * exact[i].abs(), &what);
            padding_is(&device, &y, 0.0, &what);
        }
    }
}

#[test]
fn along_either_dimension_and_both() {
    for config in settings() {
        check::<bf16, bf16>(Arch::blackhole(), (1, 1), &config, [1, 1, 1], false);
        check::<bf16, bf16>(Arch::blackhole(), (3, 2), &config, [2, 45, 170], true);
        check::<bf16, f32>(Arch::wormhole(), (2, 2), &config, [1, 33, 64], false);
        check::<f32, f32>(Arch::blackhole(), (2, 1), &config, [3, 64, 31], true);
        check::<bf16, bf16>(Arch::blackhole(), (11, 10), &config, [1, 300, 1], false);
        check::<f32, bf16>(Arch::wormhole(), (1, 1), &config, [1, 1, 300], false);
    }
}

#[test]
fn over_random_shapes() {
    let mut dice = Dice::new();
    for _ in 0..2 {
        let (arch, cores, shape) = (dice.chip(), dice.cores(), dice.shape());
        let config = &settings()[usize::from(dice.flip())];
        match dice.below(4) {
            0 => check::<bf16, bf16>(arch, cores, config, shape, true),
            1 => check::<bf16, f32>(arch, cores, config, shape, true),
            2 => check::<f32, bf16>(arch, cores, config, shape, true),
            _ => check::<f32, f32>(arch, cores, config, shape, true),
        }
    }
}

/// 800 tiles of one row, of one column.
#[test]
fn larger_than_l1() {
    let config = &settings()[1];
    check::<bf16, bf16>(Arch::blackhole(), (1, 1), config, [1, 3, 800 * 32 - 7], false);
    check::<bf16, bf16>(Arch::wormhole(), (1, 2), config, [1, 800 * 32 - 7, 3], false);
}

#[test]
fn shapes_of_results() {
    let [said, _] = error(|device| {
        let x = device.zeros::<bf16>("x", &[2, 40, 50])?;
        let y = device.zeros::<bf16>("y", &[2, 40])?;
        let config = ComputeConfig::default();
        Ok((reduce::program(&grid(1, 1), config, Reduction::Sum, Axis::Last, &x, &y)?, y))
    });
    assert!(said.contains("Sum of [2, 40, 50] along Last is [2, 40, 1], and `y` has shape [2, 40]"), "{said}");
}
