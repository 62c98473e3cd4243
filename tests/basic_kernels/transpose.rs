//! Transposes: every bit at its place, padding included.

use super::dice::Dice;
use super::{both, error, grid, random, same_bits};
use ttl::prelude::*;
use ttl_kernels::exact::Exact;
use ttl_kernels::transpose;

fn check<T: Exact>(arch: Arch, cores: (u32, u32), shape: &[usize]) {
    let what = format!("{shape:?} of {} on {cores:?} cores", T::FORMAT);
    let host = random(shape, T::FORMAT, 4);
    let (m, n) = (shape[shape.len() - 2], shape[shape.len() - 1]);
    let mut turned = shape.to_vec();
    let last = shape.len() - 1;
    turned.swap(last, last - 1);
    let values = host.to_f32_vec();
    let moved = (0..values.len()).map(|i| values[i / (m * n) * (m * n) + i % m * n + i / m % n]).collect::<Vec<_>>();
    let want = HostTensor::from_vec(turned.clone(), moved).expect("a tensor").to_format(T::FORMAT);
    let (device, y) = both(arch, &what, |device| {
        let x = device.upload_padded::<T>("x", &host, MemoryConfig::Dram, -3.0)?;
        let y = device.zeros::<T>("y", &turned)?;
        Ok((transpose::program(&grid(cores.0, cores.1), &x, &y)?, y))
    });
    same_bits(&device, &y, &want, -3.0, &what);
}

#[test]
fn every_bit_at_its_place() {
    check::<bf16>(Arch::blackhole(), (1, 1), &[1, 1]);
    check::<bf16>(Arch::blackhole(), (3, 2), &[2, 3, 45, 70]);
    check::<bf16>(Arch::blackhole(), (2, 2), &[9 * 32, 64]);
    check::<bf16>(Arch::blackhole(), (11, 10), &[1, 400]);
    check::<bf16>(Arch::wormhole(), (1, 3), &[400, 1]);
    check::<f32>(Arch::blackhole(), (2, 1), &[2, 33, 300]);
    check::<f32>(Arch::wormhole(), (1, 2), &[300, 65]);
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

/// A column and a row of 800 tiles: 1.6 MB of bf16, on one core.
#[test]
fn columns_larger_than_l1() {
    check::<bf16>(Arch::blackhole(), (1, 1), &[800 * 32 - 5, 3]);
    check::<bf16>(Arch::wormhole(), (1, 1), &[3, 800 * 32 - 5]);
}

#[test]
fn shapes_are_exchanged() {
    let [said, _] = error(|device| {
        let x = device.zeros::<bf16>("x", &[2, 40, 50])?;
        let y = device.zeros::<bf16>("y", &[50, 40])?;
        Ok((transpose::program(&grid(1, 1), &x, &y)?, y))
    });
    assert!(
        said.contains("transpose of [2, 40, 50] into [50, 40]: the last two dimensions must be exchanged"),
        "{said}"
    );
}
