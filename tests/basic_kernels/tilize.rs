//! Changes of layout: every bit, and zeros around it.

use super::dice::Dice;
use super::{both, error, grid, random, same_bits};
use ttl::prelude::*;
use ttl_kernels::exact::Exact;
use ttl_kernels::tilize;

fn check<T: Exact>(arch: Arch, cores: (u32, u32), shape: &[usize]) {
    let what = format!("{shape:?} of {} on {cores:?} cores", T::FORMAT);
    let host = random(shape, T::FORMAT, 3);
    let grid = grid(cores.0, cores.1);
    let (device, y) = both(arch, &what, |device| {
        let x = device.upload_row_major::<T>("x", &host, MemoryConfig::Dram)?;
        let stale = HostTensor::from_fn(shape, |_| 7.0)?;
        let y = device.upload_padded::<T>("y", &stale.to_format(T::FORMAT), MemoryConfig::Dram, 7.0)?;
        Ok((tilize::program(&grid, &x, &y)?, y))
    });
    same_bits(&device, &y, &host, 0.0, &what);
    let (device, y) = both(arch, &what, |device| {
        let x = device.upload_padded::<T>("x", &host, MemoryConfig::Dram, 7.0)?;
        let y = device.zeros_row_major::<T>("y", shape, MemoryConfig::Dram)?;
        Ok((tilize::untilize_program(&grid, &x, &y)?, y))
    });
    same_bits(&device, &y, &host, 0.0, &what);
}

#[test]
fn every_bit_there_and_back() {
    check::<bf16>(Arch::blackhole(), (1, 1), &[1, 1]);
    check::<bf16>(Arch::blackhole(), (3, 2), &[2, 3, 45, 70]);
    check::<bf16>(Arch::blackhole(), (1, 1), &[64, 11 * 32]);
    check::<bf16>(Arch::blackhole(), (11, 10), &[500]);
    check::<bf16>(Arch::wormhole(), (2, 2), &[70, 3 * 32 + 1]);
    check::<bf16>(Arch::wormhole(), (8, 8), &[3, 1, 640]);
    check::<f32>(Arch::blackhole(), (2, 1), &[33, 7 * 32 + 5]);
    check::<f32>(Arch::wormhole(), (1, 2), &[2, 40, 1]);
}

#[test]
fn over_random_shapes() {
    let mut dice = Dice::new();
    for _ in 0..6 {
        let (arch, cores, shape) = (dice.chip(), dice.cores(), dice.shape());
        match dice.flip() {
            true => check::<bf16>(arch, cores, &shape),
            false => check::<f32>(arch, cores, &shape),
        }
    }
}

/// 32 rows of 1.5 MB each do not fit L1.
#[test]
fn rows_larger_than_l1() {
    check::<bf16>(Arch::blackhole(), (2, 2), &[2, 750_001]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let [said, _] = error(|device| {
        let x = device.zeros_row_major::<bf16>("x", &[40, 50], MemoryConfig::Dram)?;
        let y = device.zeros::<bf16>("y", &[50, 40])?;
        Ok((tilize::program(&grid(1, 1), &x, &y)?, y))
    });
    assert!(said.contains("tilize of [40, 50] into [50, 40]: the shapes must be equal"), "{said}");
    let [said, _] = error(|device| {
        let x = device.zeros::<bf16>("x", &[40, 50])?;
        let y = device.zeros::<bf16>("y", &[40, 50])?;
        Ok((tilize::untilize_program(&grid(1, 1), &x, &y)?, y))
    });
    assert!(said.contains("untilize: `y` must be row-major, with whole rows as pages"), "{said}");
}
