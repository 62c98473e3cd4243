//! Operations with random numbers: the same on both engines, what they may give, and that a seed decides all.

use super::groups::{ALL, CORE, write};
use ttl::prelude::*;

pub(crate) const OPERATIONS: [&str; 2] = ["Rand", "Dropout"];

const COUNT: u32 = 6;
const SEED: u32 = 0x1234_5678;
const DROPPED: u32 = 0x2000_0000;

/// A tile that random ones of its values are dropped of.
#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<f32>, a: CbOut<f32>) {
    let mut tile = a.reserve_back(1);
    noc.read_page(&x, 0, &mut tile).wait();
}

/// Tiles of random numbers with seeds that count up, but for the second, which has that of the first; then the same of ones that are dropped by chance.
#[ttl::kernel(compute)]
pub(crate) fn numbers(
    c: Compute,
    a: CbIn<f32>,
    y: CbOut<f32>,
    seed: u32,
    from: f32,
    scale: f32,
    #[ttl(compile_time)] only: u32,
) {
    let a = a.wait_front(1);
    for i in 0..COUNT {
        let own = if i == 1 { seed } else { seed + i };
        if only == ALL || only == 0 {
            let mut out = y.reserve_back(1);
            let mut regs = c.acquire();
            regs.rand_tile(0, own, from, scale);
            // Another operation between: each call is seeded anew.
            regs.mul_unary_tile(0, 1.0);
            regs.commit().pack_tile(0, &mut out);
            out.push_back();
        }
        if only == ALL || only == 1 {
            let mut out = y.reserve_back(1);
            let mut regs = c.acquire();
            regs.copy_tile(&a, 0, 0);
            regs.dropout_tile(0, own, DROPPED, 1.25);
            regs.commit().pack_tile(0, &mut out);
            out.push_back();
        }
    }
}

/// Of both operations, or one of them.
pub(crate) fn program(device: &mut Device, config: ComputeConfig, only: u32) -> ttl::Result<(Program, Tensor<f32>)> {
    let tiles = if only == ALL { 2 * COUNT } else { COUNT };
    let y = device.zeros::<f32>("y", &[32 * tiles as usize, 32])?;
    let x = device.upload::<f32>("x", &HostTensor::from_fn([32, 32], |_| 2.0)?)?;
    let mut p = Program::new("random");
    let (a_out, a) = p.circular_buffer::<f32>("a", CORE, 1);
    p.kernel(CORE, read { x: x.accessor(), a: a_out });
    let (y_out, y_in) = p.circular_buffer::<f32>("y", CORE, 2);
    p.compute(CORE, config, numbers { a, y: y_out, seed: SEED.into(), from: (-1.0).into(), scale: 3.0.into(), only });
    p.kernel(CORE, write::<f32> { y: y.accessor(), input: y_in, count: tiles.into() });
    Ok((p, y))
}

#[test]
fn numbers_follow_from_the_seed() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
        let options = DeviceOptions { arch, ..Default::default() };
        let (device, y) =
            ttl::testing::on_both_engines(&options, |d| program(d, config.clone(), ALL)).expect("both engines agree");
        let all = device.download(&y).expect("a result").to_f32_vec();
        let tiles: Vec<&[f32]> = all.chunks(1024).collect();
        let (numbers, dropped): (Vec<&[f32]>, Vec<&[f32]>) = tiles.chunks(2).map(|t| (t[0], t[1])).unzip();
        assert_eq!(numbers[0], numbers[1], "one seed");
        for (i, a) in numbers.iter().enumerate() {
            assert!(a.iter().all(|x| (-1.0..=2.0).contains(x)));
            // The mean of 1024 numbers with a variance of 3^2 / 12: six of its standard deviations.
            let mean = a.iter().map(|x| f64::from(*x)).sum::<f64>() / 1024.0;
            assert!((mean - 0.5).abs() < 6.0 * (9.0f64 / 12.0 / 1024.0).sqrt(), "mean {mean}");
            for b in &numbers[i + 1..] {
                assert!(i == 0 && b == a || b != a, "seeds differ");
            }
        }
        for tile in dropped {
            assert!(tile.iter().all(|x| *x == 0.0 || *x == 2.5));
            let zeros = tile.iter().filter(|x| **x == 0.0).count() as f64;
            // A quarter of 1024, within six standard deviations.
            assert!((zeros - 256.0).abs() < 6.0 * (1024.0f64 * 0.25 * 0.75).sqrt(), "{zeros} are dropped");
        }
    }
}

/// `rand_tile` stores 32 bits whatever the registers have.
#[test]
fn random_numbers_need_registers_of_32_bits() {
    let mut device = Device::with_options(DeviceOptions::default()).expect("a device");
    let (program, _) = program(&mut device, ComputeConfig::default(), 0).expect("a program");
    let error = device.run(&program.validate(&device).expect("valid")).expect_err("16-bit registers").to_string();
    assert!(error.contains("`rand_tile` needs tile registers of 32 bits"), "{error}");
    assert!(error.contains("random.rs:") && error.contains("set `fp32_dest_acc`"), "{error}");
}
