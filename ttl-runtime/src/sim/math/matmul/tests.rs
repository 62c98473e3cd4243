//! What the tests of all units leave open: how ordinary sums are added, the limits of the path for ordinary tiles, fast numerics.

use super::super::accumulate::{Accumulate, Groups};
use super::super::lanes::{dispatch, for_each_level};
use super::super::tests::{BF16, Inputs, KINDS, Random, TF32, configs};
use super::super::{MathConfig, Numerics, Tile, reference};
use super::operands::START;
use crate::arch::MathFidelity;

/// 16 additions of two group sums; all that one vector, or two, hold.
#[derive(Clone, Copy, Default)]
struct Additions {
    sums: [[u32; 16]; 2],
    starts: [[u32; 16]; 2],
    largest: [u32; 16],
    dst: [u32; 16],
    rescale: u32,
}

dispatch!(fn add_32_blackhole(all: &Additions, out: &mut [u32; 16]) = add[true, false]);
dispatch!(fn add_32_wormhole(all: &Additions, out: &mut [u32; 16]) = add[true, true]);
dispatch!(fn add_16(all: &Additions, out: &mut [u32; 16]) = add[false, false]);

#[inline(always)]
unsafe fn add<L: Accumulate, const FP32: bool, const WORMHOLE: bool>(all: &Additions, out: &mut [u32; 16]) {
    for i in (0..16).step_by(L::N) {
        // SAFETY: the vectors lie in arrays of 16; the instruction set is the caller's.
        unsafe {
            let load = |from: &[u32; 16]| L::load(from.as_ptr().add(i));
            let groups = Groups {
                sums: [load(&all.sums[0]), load(&all.sums[1])],
                starts: [load(&all.starts[0]), load(&all.starts[1])],
                largest: load(&all.largest),
            };
            L::store(out.as_mut_ptr().add(i), L::add_groups::<FP32, WORMHOLE>(&groups, load(&all.dst), all.rescale));
        }
    }
}

/// A sum of 8 products of 5 by 7 bits: any, small, or a multiple of a power of two.
fn sum(random: &mut Random) -> i32 {
    const LARGEST: u64 = 8 * 31 * 127;
    let any = random.below(2 * LARGEST + 1) as i32 - LARGEST as i32;
    match random.below(4) {
        0 => any,
        1 => random.below(9) as i32 - 4,
        2 => any >> random.below(15),
        _ => any & (-1 << random.below(15)),
    }
}

/// The value of a sum, exactly.
fn value((value, exponent): (i32, i32)) -> f64 {
    f64::from(value) * f64::from(exponent - 137).exp2()
}

/// A register value: unrelated, with few bits, or such that the three almost cancel.
fn register(random: &mut Random, sums: [(i32, i32); 2], keep: u32) -> u32 {
    let bits = random.next() as u32;
    let exponent = (sums[0].1 as u64 + random.below(60)).saturating_sub(30).clamp(64, 230) as u32;
    let other = match random.below(4) {
        0 => bits & 0x8000_0000,
        1 => (bits & 0x807F_FFFF) | exponent << 23,
        2 => (bits & 0x8000_0000) | exponent << 23 | (0x7F_FFFF & (u32::MAX << random.below(24))),
        _ => {
            let opposite = (-(value(sums[0]) + value(sums[1])) as f32).to_bits();
            (opposite & keep).wrapping_add((random.below(9) as u32).wrapping_sub(4).wrapping_mul(!keep + 1))
        }
    };
    let field = other >> 23 & 255;
    if (64..=230).contains(&field) { other & keep } else { other & 0x8000_0000 }
}

#[test]
fn ordinary_sums_add_as_the_reference_says() {
    for_each_level(|level| {
        let mut random = Random(11);
        for cfg in configs() {
            if cfg.fidelity != MathFidelity::LoFi {
                continue;
            }
            let keep = if cfg.fp32_dest { !0 } else { BF16 };
            for _ in 0..12_000 {
                let mut all = Additions {
                    rescale: [0, 5 << 23, (-12i32 << 23) as u32][random.below(3) as usize],
                    ..Default::default()
                };
                let mut expected = [0; 16];
                for (i, expected) in expected.iter_mut().enumerate() {
                    let base = 100 + random.below(70) as i32;
                    let spread = 1 + random.below(32);
                    let sums = [0; 2].map(|_| (sum(&mut random), base - random.below(spread) as i32));
                    all.dst[i] = register(&mut random, sums, keep);
                    for (g, (value, exponent)) in sums.into_iter().enumerate() {
                        all.starts[g][i] = ((exponent as u32) << 23) + START;
                        all.sums[g][i] = all.starts[g][i].wrapping_add(value as u32);
                    }
                    all.largest[i] = (sums[0].1.max(sums[1].1) as u32) << 23;
                    *expected = reference::add_sums(&cfg, sums, all.dst[i]);
                    if *expected != 0 {
                        *expected = expected.wrapping_add(all.rescale);
                    }
                }
                let run = match (cfg.fp32_dest, cfg.wormhole()) {
                    (true, false) => add_32_blackhole,
                    (true, true) => add_32_wormhole,
                    (false, _) => add_16,
                };
                let mut got = [0; 16];
                run(&all, &mut got);
                for i in 0..16 {
                    let [one, two] = all.sums.map(|s| s[i]);
                    let [first, second] = all.starts.map(|s| s[i]);
                    assert!(
                        got[i] == expected[i],
                        "{level:?} {cfg:?}: {one:08x} from {first:08x}, {two:08x} from {second:08x}, dst {:08x}: {:08x} instead of {:08x}",
                        all.dst[i],
                        got[i],
                        expected[i]
                    );
                }
            }
        }
    });
}

/// A tile with exponents `from..=to`, one element in `zeros` zero; both ends occur.
fn between(random: &mut Random, [from, to]: [u64; 2], zeros: u64, keep: u32) -> Tile {
    let mut tile = Tile(std::array::from_fn(|_| {
        if random.below(zeros) == 0 {
            return 0.0;
        }
        let exponent = from + random.below(to - from + 1);
        f32::from_bits((random.next() as u32 & 0x807F_FFFF & keep) | (exponent as u32) << 23)
    }));
    for exponent in [from, to] {
        tile.0[random.below(1024) as usize] = f32::from_bits((exponent as u32) << 23);
    }
    tile
}

#[test]
fn products_at_the_limits_follow_the_reference() {
    // Exponents of in0 and in1 around what the path for ordinary tiles accepts, and of the register.
    const IN0: [[u64; 2]; 5] = [[100, 130], [102, 166], [101, 103], [120, 120], [103, 167]];
    const IN1: [[u64; 2]; 5] = [[103, 130], [101, 166], [37, 40], [100, 128], [102, 167]];
    const DST: [[u64; 2]; 4] = [[64, 130], [64, 64], [63, 231], [200, 230]];
    for_each_level(|level| {
        let mut random = Random(12);
        for cfg in configs() {
            let (src, reg) = if cfg.fp32_dest { (TF32, !0) } else { (BF16, BF16) };
            for round in 0..8 {
                let mut pick = |n: usize| random.below(n as u64) as usize;
                let (i, j, k, zeros) = (pick(IN0.len()), pick(IN1.len()), pick(DST.len()), [2, 4, 100, 5000][pick(4)]);
                let mut a = between(&mut random, IN0[i], zeros, src);
                let b = between(&mut random, IN1[j], zeros, src);
                let mut dst = between(&mut random, DST[k], zeros, reg);
                match round % 4 {
                    1 => a = Tile::ZERO,
                    2 => {
                        // What the product takes away again.
                        dst = Tile::ZERO;
                        super::matmul_tiles(&cfg, &a, &b, false, &mut dst);
                        for v in &mut dst.0 {
                            *v = -*v;
                        }
                    }
                    _ => {}
                }
                let (mut got, mut expected) = (dst.clone(), dst.clone());
                super::matmul_tiles(&cfg, &a, &b, false, &mut got);
                reference::matmul(&cfg, &a, &b, false, &mut expected);
                for i in 0..1024 {
                    let (got, expected) = (got.0[i].to_bits(), expected.0[i].to_bits());
                    assert!(
                        got == expected,
                        "{level:?} {cfg:?} round {round} {i}: {got:08x} instead of {expected:08x}"
                    );
                }
            }
        }
    });
}

fn fast(cfg: &MathConfig) -> MathConfig {
    MathConfig { numerics: Numerics::Fast, ..*cfg }
}

#[test]
fn fast_products_are_the_same_on_every_level() {
    let mut results: Vec<Vec<u32>> = Vec::new();
    for_each_level(|_| {
        let mut random = Random(13);
        let mut all = Vec::new();
        for cfg in configs() {
            let (src, reg) = if cfg.fp32_dest { (TF32, !0) } else { (BF16, BF16) };
            for kind in KINDS {
                let (a, b) = (kind.tile(&mut random, src), kind.tile(&mut random, src));
                let mut dst = kind.tile(&mut random, reg);
                super::matmul_tiles(&fast(&cfg), &a, &b, kind as u8 == 1, &mut dst);
                assert!(dst.0.iter().all(|v| v.to_bits() & !reg == 0 && !v.is_nan() && !v.is_subnormal()));
                all.extend(dst.0.map(f32::to_bits));
            }
        }
        results.push(all);
    });
    assert!(results.windows(2).all(|w| w[0] == w[1]));
}

/// The parts of the operands that the fidelity multiplies.
fn kept(fidelity: MathFidelity) -> [u32; 2] {
    match fidelity {
        MathFidelity::LoFi => [0xFFFE_0000, 0xFFF8_0000],
        MathFidelity::HiFi2 => [0xFFFE_0000, 0xFFFF_C000],
        _ => [TF32, 0xFFFF_C000],
    }
}

fn at(row: usize, column: usize) -> usize {
    super::face_offset(row, column / 16 * 16) + column % 16
}

/// With M = |dst| + the sum of all |products|, both modes differ from exact arithmetic on the cut operands by at most:
///
/// - fast: 32 roundings of partial sums no larger than M (33 * 2^-24 M with what they add up to); a 16-bit register rounds once more, by
///   at most 2^-8 of the result.
/// - exact: a product of a group is rounded to 2^-10 of something no larger than the group's largest product P: the 8 of a group are
///   off by 8 * 2^-11 P, with all phases (their units are 1, 2^-5, 2^-7 and 2^-12 of that) by less than 1.05 * 2^-8 P, and P is no
///   larger than the group's sum of |products|. Each of up to 8 additions rounds three terms to a last bit of at most 2^-23 M, and
///   the result to 2^-24 M: less than 2^-18 M in all. With 16-bit registers terms are rounded to 2^-10 M and the result to 2^-8 M: up to
///   8 * (1.5 * 2^-10 + 2^-8) M, which is 11 * 2^-8 M.
///   (Not on Wormhole with 32-bit registers: there a sum of minus one last bit becomes -2^27 of them.)
/// - HiFi3 leaves out the product of both lower parts, at most 2^-4 and 2^-6 of their operands; fast has it.
#[test]
fn fast_products_are_close() {
    let mut random = Random(14);
    for cfg in configs() {
        let (src, reg) = if cfg.fp32_dest { (TF32, !0) } else { (BF16, BF16) };
        let [keep0, keep1] = kept(cfg.fidelity);
        let (mut fast_squares, mut exact_squares) = (0.0, 0.0);
        for round in 0..24 {
            let kind = [Inputs::Ordinary, Inputs::Coarse, Inputs::Spread][round % 3];
            // From 2^-20 to 2^20 of the usual size.
            let mut scaled = |keep: u32| {
                let factor = (random.below(41) as f32 - 20.0).exp2();
                let mut tile = kind.tile(&mut random, keep);
                tile.0.iter_mut().for_each(|v| *v *= factor);
                tile
            };
            let (a, b) = (scaled(src), scaled(src));
            let dst = if round % 2 == 0 { Tile::ZERO } else { scaled(reg) };
            let (mut exact_dst, mut fast_dst) = (dst.clone(), dst.clone());
            super::matmul_tiles(&cfg, &a, &b, false, &mut exact_dst);
            super::matmul_tiles(&fast(&cfg), &a, &b, false, &mut fast_dst);
            for row in 0..32 {
                for column in 0..32 {
                    let cut = |v: f32, keep: u32| f64::from(f32::from_bits(v.to_bits() & keep));
                    let old = f64::from(dst.0[at(row, column)]);
                    let (mut sum, mut size) = (old, old.abs());
                    for k in 0..32 {
                        let product = cut(a.0[at(row, k)], keep0) * cut(b.0[at(k, column)], keep1);
                        sum += product;
                        size += product.abs();
                    }
                    let fast_off = (f64::from(fast_dst.0[at(row, column)]) - sum).abs();
                    let exact_off = (f64::from(exact_dst.0[at(row, column)]) - sum).abs();
                    let unit = size / 256.0;
                    let lower = if cfg.fidelity == MathFidelity::HiFi3 { 0.25 * unit } else { 0.0 };
                    let (fast_bound, exact_bound) = if cfg.fp32_dest {
                        (33.0 / 65536.0 * unit, 1.05 * unit + unit / 1024.0 + lower)
                    } else {
                        (1.01 * unit, (1.05 + 11.0) * unit + lower)
                    };
                    assert!(
                        fast_off <= fast_bound,
                        "{cfg:?} {kind:?}: fast is off by {fast_off}, more than {fast_bound}"
                    );
                    if cfg.wormhole() && cfg.fp32_dest {
                        continue;
                    }
                    assert!(
                        exact_off <= exact_bound,
                        "{cfg:?} {kind:?}: exact is off by {exact_off}, not {exact_bound}"
                    );
                    if size != 0.0 {
                        fast_squares += (fast_off / size).powi(2);
                        exact_squares += (exact_off / size).powi(2);
                    }
                }
            }
        }
        // As the documentation of the mode says: usually more accurate.
        assert!(fast_squares <= exact_squares, "{cfg:?}: {fast_squares} {exact_squares}");
    }
}
