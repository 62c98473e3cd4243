//! The fast functions against the scalar reference, on every instruction set of the processor that runs the tests.

use super::lanes::for_each_level;
use super::{MathConfig, Numerics, Tile, reference};
use crate::arch::{ArchKind, MathFidelity};
use crate::ops::{Kind, UnaryOp, Word};

/// A small generator, so that inputs are the same everywhere (splitmix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// Kinds of inputs, from ordinary to hostile.
#[derive(Clone, Copy, Debug)]
pub(super) enum Inputs {
    /// Like weights and activations: exponents near 0.
    Ordinary,
    /// Few significant bits: sums cancel and tie.
    Coarse,
    /// Exponents far apart, zeros.
    Spread,
    /// Any bits: denormals, infinities, NaN, the largest and smallest exponents.
    Any,
    /// Values whose products and sums overflow or underflow.
    Extreme,
}

pub(super) const KINDS: [Inputs; 5] = [Inputs::Ordinary, Inputs::Coarse, Inputs::Spread, Inputs::Any, Inputs::Extreme];

impl Inputs {
    pub(super) fn value(self, random: &mut Random) -> u32 {
        let bits = random.next() as u32;
        let with_exponent = |exponent: u64| (bits & 0x807F_FFFF) | (exponent as u32) << 23;
        match self {
            Inputs::Ordinary => with_exponent(120 + random.below(10)),
            Inputs::Coarse => {
                if bits & 7 == 0 {
                    0
                } else {
                    with_exponent(118 + random.below(14)) & 0xFFF0_0000
                }
            }
            Inputs::Spread => {
                if bits & 3 == 0 {
                    bits & 0x8000_0000
                } else {
                    with_exponent(100 + random.below(50))
                }
            }
            Inputs::Any => bits,
            Inputs::Extreme => {
                let exponent = if bits & 1 == 0 { random.below(40) } else { 216 + random.below(40) };
                with_exponent(if bits & 2 == 0 { exponent } else { 40 + random.below(90) })
            }
        }
    }

    pub(super) fn tile(self, random: &mut Random, keep: u32) -> Tile {
        Tile(std::array::from_fn(|_| f32::from_bits(self.value(random) & keep)))
    }
}

pub(super) fn configs() -> Vec<MathConfig> {
    let mut all = Vec::new();
    for arch in [ArchKind::Wormhole, ArchKind::Blackhole] {
        for fp32_dest in [false, true] {
            for fidelity in [MathFidelity::LoFi, MathFidelity::HiFi2, MathFidelity::HiFi3, MathFidelity::HiFi4] {
                all.push(MathConfig {
                    arch,
                    fidelity,
                    fp32_dest,
                    long: fp32_dest,
                    approx: false,
                    bfp8_pack_precise: false,
                    numerics: Numerics::Exact,
                });
            }
        }
    }
    all
}

/// What a source register keeps of an f32, and a tile register.
pub(super) const TF32: u32 = 0xFFFF_E000;
pub(super) const BF16: u32 = 0xFFFF_0000;

fn assert_same(got: &Tile, expected: &Tile, what: impl FnOnce(usize) -> String) {
    for i in 0..1024 {
        assert!(
            got.0[i].to_bits() == expected.0[i].to_bits(),
            "{}: {:08x} instead of {:08x}",
            what(i),
            got.0[i].to_bits(),
            expected.0[i].to_bits()
        );
    }
}

#[test]
fn elementwise_follows_the_reference() {
    for_each_level(|level| {
        let mut random = Random(1);
        for cfg in configs() {
            let (src, reg) = if cfg.fp32_dest { (TF32, !0) } else { (BF16, BF16) };
            for kind in KINDS {
                for round in 0..6 {
                    let (a, b) = (kind.tile(&mut random, src), kind.tile(&mut random, src));
                    let dst = if round < 2 { Tile::ZERO } else { kind.tile(&mut random, reg) };
                    let what = |op: &'static str| {
                        let (a, b, dst) = (&a, &b, &dst);
                        move |i: usize| {
                            let bits = |t: &Tile| t.0[i].to_bits();
                            format!(
                                "{op} {level:?} {cfg:?} {kind:?} a={:08x} b={:08x} dst={:08x}",
                                bits(a),
                                bits(b),
                                bits(dst)
                            )
                        }
                    };
                    let mut got = dst.clone();
                    super::mul_tiles(&cfg, &a, &b, &mut got);
                    let each = |f: &dyn Fn(usize) -> f32| Tile(std::array::from_fn(f));
                    let expected = each(&|i| reference::mul(&cfg, a.0[i], b.0[i], dst.0[i]));
                    assert_same(&got, &expected, what("mul"));

                    super::add_tiles(&cfg, &a, &b, false, &mut got);
                    assert_same(&got, &each(&|i| reference::add(&cfg, a.0[i], b.0[i], 0.0)), what("add"));
                    let mut got = dst.clone();
                    super::add_tiles(&cfg, &a, &b, true, &mut got);
                    assert_same(&got, &each(&|i| reference::add(&cfg, a.0[i], b.0[i], dst.0[i])), what("add acc"));
                    let mut got = dst.clone();
                    super::sub_tiles(&cfg, &a, &b, true, &mut got);
                    assert_same(&got, &each(&|i| reference::add(&cfg, a.0[i], -b.0[i], dst.0[i])), what("sub acc"));
                }
            }
        }
    });
}

#[test]
fn matmul_follows_the_reference() {
    for_each_level(|level| {
        let mut random = Random(2);
        for cfg in configs() {
            let (src, reg) = if cfg.fp32_dest { (TF32, !0) } else { (BF16, BF16) };
            for kind in KINDS {
                for round in 0..3 {
                    let (mut a, mut b) = (kind.tile(&mut random, src), kind.tile(&mut random, src));
                    let dst = if round == 0 { Tile::ZERO } else { kind.tile(&mut random, reg) };
                    if round == 1 {
                        // Rows and columns of zeros: groups without any product.
                        a.0[..256].fill(0.0);
                        b.0[512..700].fill(-0.0);
                    }
                    let transpose = round == 2;
                    let (mut got, mut expected) = (dst.clone(), dst.clone());
                    super::matmul_tiles(&cfg, &a, &b, transpose, &mut got);
                    reference::matmul(&cfg, &a, &b, transpose, &mut expected);
                    assert_same(&got, &expected, |i| format!("{level:?} {cfg:?} {kind:?} round {round} element {i}"));
                }
            }
        }
    });
}

/// Operands of a multiply-add: ordinary, cancelling, near the ends of the range, special.
fn fma_operands(random: &mut Random) -> [u32; 3] {
    let kind = KINDS[random.below(5) as usize];
    let [x, y, mut z] = std::array::from_fn(|_| kind.value(random));
    let product = f32::from_bits(x) * f32::from_bits(y);
    match random.below(4) {
        0 => z = (-product).to_bits() ^ (random.below(64) as u32),
        1 => {
            z = (z & 0x807F_FFFF)
                | (product.to_bits().wrapping_add((random.below(64) as u32).wrapping_sub(32) << 23) & 0x7F80_0000)
        }
        2 if random.below(4) == 0 => z &= 0x8000_0000,
        _ => {}
    }
    if random.below(16) == 0 { [x, 0x3F80_0000, z] } else { [x, y, z] }
}

/// Normal numbers that do not cancel, with an addend of about the size of the product.
fn benign_operands(random: &mut Random) -> [u32; 3] {
    let [x, y, z] = std::array::from_fn(|_| Inputs::Ordinary.value(random));
    let product = f32::from_bits(x) * f32::from_bits(y);
    let exponent = (product.to_bits() >> 23 & 255) as i32 + random.below(12) as i32 - 3;
    [x, y, (z & 0x7F_FFFF) | (product.to_bits() & 0x8000_0000) | (exponent as u32) << 23]
}

/// A step of Newton's method for 1 / x, with a result next to a power of two.
fn newton_operands(random: &mut Random) -> [u32; 3] {
    let x = Inputs::Ordinary.value(random);
    let near = (1.0 / f32::from_bits(x)).to_bits().wrapping_add(random.below(3) as u32).wrapping_sub(1);
    [x, near, if random.below(32) == 0 { 0xBF80_0000 } else { 0xC000_0000 }]
}

#[test]
fn multiply_add_is_the_scalar_one() {
    use super::fma::scalar;
    use super::vector::test_steps;
    for_each_level(|level| {
        let mut random = Random(3);
        for _ in 0..3000 {
            // A vector takes the short way only if all of its lanes may: so most blocks have none but ordinary numbers.
            let operands = [fma_operands, benign_operands, newton_operands][random.below(3) as usize];
            let mut operands = || operands(&mut random);
            let rows: Vec<[u32; 3]> = (0..test_steps::BLOCK).map(|_| operands()).collect();
            let column = |i: usize| rows.iter().map(|r| r[i]).collect::<Vec<u32>>();
            for wormhole in [false, true] {
                let [mad, mul, add] = test_steps::run(wormhole, [column(0), column(1), column(2)]);
                for (i, &[x, y, z]) in rows.iter().enumerate() {
                    let what = |op: &str| format!("{op} {level:?} wormhole {wormhole}: {x:08x} {y:08x} {z:08x}");
                    assert_eq!(
                        format!("{:08x}", mad[i]),
                        format!("{:08x}", scalar(wormhole, x, y, z)),
                        "{}",
                        what("mad")
                    );
                    assert_eq!(
                        format!("{:08x}", mul[i]),
                        format!("{:08x}", scalar(wormhole, x, y, 0)),
                        "{}",
                        what("mul")
                    );
                    assert_eq!(
                        format!("{:08x}", add[i]),
                        format!("{:08x}", scalar(wormhole, 0x3F80_0000, x, z)),
                        "{}",
                        what("add")
                    );
                }
            }
        }
    });
}

/// `TTL_FMA_VECTORS=FILE`: rows of five words x, y, z, result on Blackhole, result on Wormhole, from another implementation.
#[test]
fn multiply_add_agrees_with_vectors() {
    let Ok(path) = std::env::var("TTL_FMA_VECTORS") else {
        return;
    };
    let bytes = std::fs::read(&path).expect(&path);
    for row in bytes.chunks_exact(20) {
        let word = |i: usize| u32::from_le_bytes(row[i * 4..i * 4 + 4].try_into().expect("four bytes"));
        let (x, y, z) = (word(0), word(1), word(2));
        for (wormhole, expected) in [(false, word(3)), (true, word(4))] {
            let got = super::fma::scalar(wormhole, x, y, z);
            assert!(
                got == expected,
                "wormhole {wormhole} {x:08x} {y:08x} {z:08x}: {got:08x} instead of {expected:08x}"
            );
        }
    }
    println!("{} rows agree", bytes.len() / 20);
}

/// On a grid around zero and on numbers of many sizes.
#[test]
fn unary_operations_are_within_their_bounds() {
    let grid = (0..1024).map(|i| (i as f32 - 512.0) / 64.0 + 0.001);
    let sizes = (0..1024).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 } * 1.021f32.powi(i - 512));
    let inputs: Vec<f32> = grid.chain(sizes).chain([0.0, 1.0, -1.0, 2.0, -0.5]).collect();
    let mut wrong = Vec::new();
    // Integers are exact: `tests/ops` compares them.
    for row in UnaryOp::ALL.map(UnaryOp::row) {
        if row.kind != Kind::Float || row.gives != Kind::Float || row.random {
            continue;
        }
        let op = row.op;
        let examples: Vec<u32> = row.params.iter().map(|p| p.example_bits()).collect();
        let words = Word::all(row.words, &examples);
        for arch in [ArchKind::Wormhole, ArchKind::Blackhole] {
            let cfg = MathConfig {
                arch,
                fidelity: MathFidelity::HiFi4,
                fp32_dest: true,
                long: true,
                approx: false,
                bfp8_pack_precise: false,
                numerics: Numerics::Exact,
            };
            let results = inputs.chunks(1024).flat_map(|chunk| {
                let mut tile = Tile::ZERO;
                tile.0[..chunk.len()].copy_from_slice(chunk);
                super::sfpu_unary(&cfg, op, &words, &mut tile);
                tile.0[..chunk.len()].to_vec()
            });
            let bad = inputs.iter().zip(results).filter(|&(&x, y)| !op.row().accepts(f64::from(x), f64::from(y)));
            let bad: Vec<String> = bad.map(|(x, y)| format!("{x}: {y}, not {}", row.exact(f64::from(*x)))).collect();
            if let [first, ..] = &bad[..] {
                wrong.push(format!("{op:?} on {arch:?}, {} values: {first} ... {}", bad.len(), bad[bad.len() / 2]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
