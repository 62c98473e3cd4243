//! [`Numerics::Fast`](super::super::Numerics::Fast): one multiply-add per product, in the order of the inner index, each rounded as
//! IEEE 754 says.

use super::super::lanes::{Lanes, dispatch};
use super::super::{MathConfig, Tile};
use super::face_offset;
use super::operands::Operand;

pub(super) fn step(cfg: &MathConfig, in0: &Operand, in1: &Operand, dst: &mut Tile) {
    let run = if cfg.fp32_dest { step_32 } else { step_16 };
    run(in0, in1, dst);
}

dispatch!(fn step_32(in0: &Operand, in1: &Operand, dst: &mut Tile) = step_lanes[true]);
dispatch!(fn step_16(in0: &Operand, in1: &Operand, dst: &mut Tile) = step_lanes[false]);

#[inline(always)]
unsafe fn step_lanes<L: Lanes, const FP32: bool>(in0: &Operand, in1: &Operand, dst: &mut Tile) {
    // As many sums as registers hold.
    // SAFETY: passed on to the caller.
    unsafe {
        if L::N == 16 {
            multiply::<L, FP32, 8>(in0, in1, dst);
        } else {
            multiply::<L, FP32, 4>(in0, in1, dst);
        }
    }
}

// Loops rather than closures: those would not be compiled for the instruction set.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
unsafe fn multiply<L: Lanes, const FP32: bool, const ROWS: usize>(in0: &Operand, in1: &Operand, dst: &mut Tile) {
    // SAFETY: indices stay below 1024; the instruction set is the caller's.
    unsafe {
        for row in (0..32).step_by(ROWS) {
            for column in (0..32).step_by(2 * L::N) {
                let left = in0.part[0].as_ptr().add(row * 32);
                let right = in1.part[0].as_ptr().add(column);
                let mut sums = [[L::splat(0); 2]; ROWS];
                for r in 0..ROWS {
                    for h in 0..2 {
                        sums[r][h] = L::load(dst.words().add(face_offset(row + r, column + h * L::N)));
                    }
                }
                for k in 0..32 {
                    let columns = [L::load(right.add(k * 32)), L::load(right.add(k * 32 + L::N))];
                    for r in 0..ROWS {
                        let element = L::splat(*left.add(r * 32 + k));
                        for h in 0..2 {
                            sums[r][h] = L::fma(element, columns[h], sums[r][h]);
                        }
                    }
                }
                for r in 0..ROWS {
                    for h in 0..2 {
                        let result = round::<L, FP32>(sums[r][h]);
                        L::store(dst.words_mut().add(face_offset(row + r, column + h * L::N)), result);
                    }
                }
            }
        }
    }
}

/// What the register holds: no denormals, +infinity instead of NaN (whose sign depends on the host), and bf16 if it has 16 bits, rounded
/// half away from zero as always here.
#[inline(always)]
unsafe fn round<L: Lanes, const FP32: bool>(v: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let infinity = L::splat(0x7F80_0000);
        let size = L::and(v, L::splat(0x7FFF_FFFF));
        let v = L::select(L::gt(size, infinity), infinity, v);
        let v = if FP32 { v } else { L::and(L::add(v, L::splat(0x8000)), L::splat(0xFFFF_0000)) };
        L::keep(L::not_eq(L::and(v, infinity), L::splat(0)), v)
    }
}
