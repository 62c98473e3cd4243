//! Operations with random numbers: the same on both engines, what they may give, and that a seed decides all.

use super::groups::CORE;
use ttl::prelude::*;
use ttl::testing::on_both_engines;

pub(crate) const OPERATIONS: [&str; 2] = ["Rand", "Dropout"];

const COUNT: u32 = 6;
const SEED: u32 = 0x1234_5678;
const DROPPED: u32 = 0x2000_0000;

/// Tiles of random numbers with seeds that count up, but for the second, which has that of the first; then the same of ones that are dropped by chance.
#[ttl::kernel(compute)]
pub(crate) fn numbers(c: Compute, y: CbOut<f32>, seed: u32, from: f32, scale: f32) {
    for i in 0..COUNT {
        let own = if i == 1 { seed } else { seed + i };
        let mut out = y.reserve_back(1);
        let mut regs = c.acquire();
        regs.rand_tile(0, own, from, scale);
        // Another operation between: each call is seeded anew.
        regs.mul_unary_tile(0, 1.0);
        regs.commit().pack_tile(0, &mut out);
        out.push_back();
        let mut out = y.reserve_back(1);
        let mut regs = c.acquire();
        regs.fill_tile(0, 2.0);
        regs.dropout_tile(0, own, DROPPED, 1.25);
        regs.commit().pack_tile(0, &mut out);
        out.push_back();
    }
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<f32>, input: CbIn<f32>) {
    for page in 0..2 * COUNT {
        let tile = input.wait_front(1);
        noc.write_page(&y, page, &tile).flushed();
    }
}

fn program(device: &mut Device, config: ComputeConfig) -> ttl::Result<(Program, Tensor<f32>)> {
    let y = device.zeros::<f32>("y", &[32 * 2 * COUNT as usize, 32])?;
    let mut p = Program::new("random");
    let (y_out, y_in) = p.circular_buffer::<f32>("y", CORE, 2);
    p.compute(CORE, config, numbers { y: y_out, seed: SEED.into(), from: (-1.0).into(), scale: 3.0.into() });
    p.kernel(CORE, write { y: y.accessor(), input: y_in });
    Ok((p, y))
}

#[test]
fn numbers_follow_from_the_seed() {
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        for fp32_dest_acc in [false, true] {
            let config = ComputeConfig { fp32_dest_acc, ..ComputeConfig::default() };
            let options = DeviceOptions { arch, ..Default::default() };
            let (device, y) = on_both_engines(&options, |d| program(d, config.clone())).expect("both engines agree");
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
}
