//! Stand-in for the numerics until `math/` is here: plain f32 arithmetic, rounding only when packing.

use crate::arch::{ArchKind, MathFidelity};
use crate::ops::{BinaryOp, UnaryOp};
use crate::tensor::format::DataFormat;

#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct Tile(pub [f32; 1024]);

impl Tile {
    pub const ZERO: Tile = Tile([0.0; 1024]);
}

#[derive(Clone, Copy, Debug)]
pub struct MathConfig {
    pub arch: ArchKind,
    pub fidelity: MathFidelity,
    pub fp32_dest: bool,
    pub approx: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReuseDest {
    DestToSrcA,
    DestToSrcB,
}

pub fn unpack_src(_: &MathConfig, format: DataFormat, l1: &[u8], src: &mut Tile) {
    match format {
        DataFormat::Bf16 => {
            for (v, b) in src.0.iter_mut().zip(l1.chunks_exact(2)) {
                *v = f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16);
            }
        }
        DataFormat::F32 => {
            for (v, b) in src.0.iter_mut().zip(l1.chunks_exact(4)) {
                *v = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
        }
    }
}

pub fn copy_tile(cfg: &MathConfig, format: DataFormat, l1: &[u8], dst: &mut Tile) {
    unpack_src(cfg, format, l1, dst);
}

pub fn unpack_to_dest_fp32(l1: &[u8], dst: &mut Tile) {
    for (v, b) in dst.0.iter_mut().zip(l1.chunks_exact(4)) {
        *v = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    }
}

fn zip(a: &Tile, b: &Tile, dst: &mut Tile, f: impl Fn(f32, f32, f32) -> f32) {
    for ((d, a), b) in dst.0.iter_mut().zip(&a.0).zip(&b.0) {
        *d = f(*a, *b, *d);
    }
}

pub fn add_tiles(_: &MathConfig, a: &Tile, b: &Tile, acc: bool, dst: &mut Tile) {
    zip(a, b, dst, |a, b, d| a + b + if acc { d } else { 0.0 });
}

pub fn sub_tiles(_: &MathConfig, a: &Tile, b: &Tile, acc: bool, dst: &mut Tile) {
    zip(a, b, dst, |a, b, d| a - b + if acc { d } else { 0.0 });
}

pub fn mul_tiles(_: &MathConfig, a: &Tile, b: &Tile, dst: &mut Tile) {
    zip(a, b, dst, |a, b, d| d + a * b);
}

fn apply(op: BinaryOp, a: f32, b: f32) -> f32 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
    }
}

pub fn reuse_dest(_: &MathConfig, op: BinaryOp, reuse: ReuseDest, tile: &Tile, dst: &mut Tile) {
    for (d, t) in dst.0.iter_mut().zip(&tile.0) {
        *d = match reuse {
            ReuseDest::DestToSrcA => apply(op, *d, *t),
            ReuseDest::DestToSrcB => apply(op, *t, *d),
        };
    }
}

fn at(r: usize, c: usize) -> usize {
    (r / 16 * 2 + c / 16) * 256 + r % 16 * 16 + c % 16
}

#[derive(Clone, Debug)]
pub struct MatmulIn0(Tile);
#[derive(Clone, Debug)]
pub struct MatmulIn1(Tile);

impl MatmulIn0 {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        MatmulIn0(Tile::ZERO)
    }

    pub fn set(&mut self, in0: &Tile) {
        self.0.clone_from(in0);
    }
}

impl MatmulIn1 {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        MatmulIn1(Tile::ZERO)
    }

    pub fn set(&mut self, in1: &Tile, transpose: bool) {
        for r in 0..32 {
            for c in 0..32 {
                self.0.0[at(r, c)] = if transpose {
                    in1.0[at(c, r)]
                } else {
                    in1.0[at(r, c)]
                };
            }
        }
    }
}

pub fn matmul_step(_: &MathConfig, in0: &MatmulIn0, in1: &MatmulIn1, dst: &mut Tile) {
    for r in 0..32 {
        for c in 0..32 {
            let sum: f32 = (0..32).map(|k| in0.0.0[at(r, k)] * in1.0.0[at(k, c)]).sum();
            dst.0[at(r, c)] += sum;
        }
    }
}

pub fn sfpu_unary(_: &MathConfig, op: UnaryOp, dst: &mut Tile) {
    for d in &mut dst.0 {
        *d = (op.row().reference)(f64::from(*d)) as f32;
    }
}

pub fn sfpu_binary(
    _: &MathConfig,
    op: BinaryOp,
    regs: &mut [Tile],
    d0: usize,
    d1: usize,
    out: usize,
) {
    for i in 0..1024 {
        regs[out].0[i] = apply(op, regs[d0].0[i], regs[d1].0[i]);
    }
}

pub fn pack(_: &MathConfig, dst: &Tile, format: DataFormat, l1: &mut [u8]) {
    match format {
        DataFormat::Bf16 => {
            for (b, v) in l1.chunks_exact_mut(2).zip(&dst.0) {
                b.copy_from_slice(&half::bf16::from_f32(*v).to_le_bytes());
            }
        }
        DataFormat::F32 => {
            for (b, v) in l1.chunks_exact_mut(4).zip(&dst.0) {
                b.copy_from_slice(&v.to_le_bytes());
            }
        }
    }
}
