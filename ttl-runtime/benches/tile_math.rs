//! Nanoseconds per tile operation of the simulated units. `TTL_SIMD=portable|avx2` lowers the instruction set.

use std::hint::black_box;
use std::time::Instant;

use ttl_runtime::arch::{ArchKind, MathFidelity};
use ttl_runtime::ops::{BinaryOp, UnaryOp};
use ttl_runtime::sim::math::*;
use ttl_runtime::tensor::format::DataFormat;

/// The best of several runs: the machine may be busy with other things.
fn time(name: &str, mut f: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..12 {
        let rounds = 400;
        let start = Instant::now();
        for _ in 0..rounds {
            f();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(rounds));
    }
    println!("{name:44} {best:9.0} ns");
}

/// Numbers around 1 with all mantissa bits in use.
fn fill(seed: u32, positive: bool) -> Vec<f32> {
    let mut state = seed;
    (0..1024)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let x = (state >> 8) as f32 / 8_388_608.0 - 1.0;
            if positive { x.abs() + 0.01 } else { 2.0 * x }
        })
        .collect()
}

fn main() {
    let bytes = |v: &[f32]| -> Vec<u8> { v.iter().flat_map(|x| ((x.to_bits() >> 16) as u16).to_le_bytes()).collect() };
    let (a_l1, b_l1) = (bytes(&fill(1, false)), bytes(&fill(2, false)));
    let f32_l1: Vec<u8> = fill(3, false).iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut out = vec![0; 4096];
    let base = MathConfig {
        arch: ArchKind::Blackhole,
        fidelity: MathFidelity::HiFi4,
        fp32_dest: true,
        long: true,
        approx: false,
        bfp8_pack_precise: false,
        numerics: Numerics::Exact,
    };
    let (mut a, mut b, mut dst) = (Tile::new(), Tile::new(), Tile::new());

    for fp32_dest in [true, false] {
        let cfg = MathConfig { fp32_dest, ..base };
        let bits = if fp32_dest { 32 } else { 16 };
        println!("-- {bits}-bit tile registers");
        time("unpack bf16 to source register", || unpack_src(&cfg, DataFormat::Bf16, black_box(&a_l1), &mut a));
        time("unpack f32 to source register", || unpack_src(&cfg, DataFormat::F32, black_box(&f32_l1), &mut b));
        time("copy_tile bf16", || copy_tile(&cfg, DataFormat::Bf16, black_box(&a_l1), &mut dst));
        time("pack to bf16", || pack(&cfg, black_box(&dst), DataFormat::Bf16, &mut out));
        time("pack to f32", || pack(&cfg, black_box(&dst), DataFormat::F32, &mut out));
        unpack_src(&cfg, DataFormat::Bf16, &a_l1, &mut a);
        unpack_src(&cfg, DataFormat::Bf16, &b_l1, &mut b);
        time("add_tiles", || add_tiles(&cfg, black_box(&a), &b, false, &mut dst));
        time("add_tiles, accumulating", || add_tiles(&cfg, black_box(&a), &b, true, &mut dst));
        time("reuse_dest add", || {
            reuse_dest(&cfg, BinaryOp::Add, ReuseDest::DestToSrcA, DataFormat::Bf16, black_box(&b), &mut dst)
        });
        for fidelity in [MathFidelity::LoFi, MathFidelity::HiFi2, MathFidelity::HiFi4] {
            let cfg = MathConfig { fidelity, ..cfg };
            time(&format!("mul_tiles {fidelity:?} into a fresh register"), || {
                dst.0.fill(0.0);
                mul_tiles(&cfg, black_box(&a), &b, &mut dst);
            });
            time(&format!("a * b + c {fidelity:?}: 2 unpack, copy, mul, pack"), || {
                copy_tile(&cfg, DataFormat::Bf16, black_box(&b_l1), &mut dst);
                unpack_src(&cfg, DataFormat::Bf16, black_box(&a_l1), &mut a);
                unpack_src(&cfg, DataFormat::Bf16, black_box(&b_l1), &mut b);
                mul_tiles(&cfg, &a, &b, &mut dst);
                pack(&cfg, &dst, DataFormat::Bf16, &mut out);
            });
            let (mut in0, mut in1) = (MatmulIn0::new(), MatmulIn1::new());
            in0.set(&cfg, &a);
            in1.set(&cfg, &b, false);
            time(&format!("matmul_step {fidelity:?}, operands prepared"), || {
                matmul_step(&cfg, black_box(&in0), &in1, &mut dst)
            });
            let fast = MathConfig { numerics: Numerics::Fast, ..cfg };
            in0.set(&fast, &a);
            in1.set(&fast, &b, false);
            dst.0.fill(0.0);
            time(&format!("matmul_step {fidelity:?}, fast"), || matmul_step(&fast, black_box(&in0), &in1, &mut dst));
        }
        let (mut in0, mut in1) = (MatmulIn0::new(), MatmulIn1::new());
        time("prepare in0", || in0.set(&cfg, black_box(&a)));
        time("prepare in1", || in1.set(&cfg, black_box(&a), false));
        time("prepare in1, transposed", || in1.set(&cfg, black_box(&a), true));
        let positive = bytes(&fill(4, true));
        for op in UnaryOp::ALL {
            time(&format!("{op:?} (with copy_tile)"), || {
                copy_tile(&cfg, DataFormat::Bf16, black_box(&positive), &mut dst);
                sfpu_unary(&cfg, op, &[], &mut dst);
            });
        }
        let mut regs = vec![a.clone(), b.clone(), Tile::new()];
        for op in BinaryOp::ALL {
            time(&format!("sfpu {op:?}"), || sfpu_binary(&cfg, op, &[], black_box(&mut regs), [0, 1], 2));
        }
    }
}
