//! The rules of the matrix unit once more, scalar and in plain integers, as slowly and directly as they can be said.

use super::{MathConfig, Tile};

/// A finite sum of a dot product: sign * magnitude * 2^(exponent - 150 + 13), magnitude not normalised.
#[derive(Clone, Copy, Default)]
struct Sum {
    negative: bool,
    magnitude: u64,
    exponent: i32,
}

fn field(v: u32) -> i32 {
    ((v >> 23) & 255) as i32
}

/// `value / 2^shift`, rounded to nearest; ties go up if `up`, else down.
fn round_shift(value: u64, shift: i32, ties_up: bool) -> u64 {
    if shift > 40 {
        return 0;
    }
    let (kept, lost) = (value >> shift, value & ((1 << shift) - 1));
    let half = if shift == 0 { 0 } else { 1u64 << (shift - 1) };
    kept + u64::from(shift > 0 && (lost > half || (lost == half && ties_up)))
}

/// Adds sums to a register value.
fn accumulate(cfg: &MathConfig, sums: &[Sum], dst: u32) -> u32 {
    let mut exponent = sums.iter().map(|s| s.exponent).fold(field(dst), i32::max);
    if exponent <= 0 {
        return 0;
    }
    let dst_magnitude = if field(dst) == 0 { 0 } else { u64::from(dst & 0x7F_FFFF) | 0x80_0000 };
    let mut total = 0i64;
    let mut add = |negative: bool, magnitude: u64, own: i32, ties_up: bool| {
        let mut aligned = round_shift(magnitude, exponent - own, ties_up);
        if !cfg.fp32_dest {
            aligned = round_shift(aligned, 13, ties_up) << 13;
        }
        total += if negative { -(aligned as i64) } else { aligned as i64 };
    };
    for sum in sums {
        add(sum.negative, sum.magnitude << 13, sum.exponent, !sum.negative);
    }
    add(dst >> 31 == 1, dst_magnitude, field(dst), true);
    if total == 0 {
        return 0;
    }
    let sign = if total < 0 { 0x8000_0000 } else { 0 };
    let size = total.unsigned_abs();
    if cfg.wormhole() && total == -1 {
        let exponent = exponent + 4;
        return sign | if exponent >= 255 { 0x7F80_0000 } else { (exponent as u32) << 23 };
    }
    let top = 63 - size.leading_zeros() as i32;
    exponent += top - 23;
    let digits = if cfg.fp32_dest { 24 } else { 8 };
    let drop = top + 1 - digits;
    let mut bits = if drop > 0 { round_shift(size, drop, true) } else { size << -drop };
    if bits >> digits != 0 {
        bits >>= 1;
        exponent += 1;
    }
    let mantissa = ((bits << (24 - digits)) & 0x7F_FFFF) as u32;
    match exponent {
        ..=0 => 0,
        255.. => sign | 0x7F80_0000,
        _ => sign | (exponent as u32) << 23 | mantissa,
    }
}

/// Adds sums, each a value in units of 2^(exponent - 137) and its biased exponent, to a register value.
pub(super) fn add_sums(cfg: &MathConfig, sums: [(i32, i32); 2], dst: u32) -> u32 {
    let sums =
        sums.map(|(value, exponent)| Sum { negative: value < 0, magnitude: u64::from(value.unsigned_abs()), exponent });
    accumulate(cfg, &sums, dst)
}

fn absent(v: u32) -> bool {
    field(v) == 0
}

/// 5 bits of SrcA times 7 bits of SrcB.
fn product(a: u32, b: u32, phase: u32) -> u64 {
    let a = u64::from(a >> 13 & 0x3FF) | 0x400;
    let b = u64::from(b >> 13 & 0x3FF) | 0x400;
    let a = if phase & 1 == 0 { a >> 6 } else { a >> 1 & 31 };
    let b = if phase & 2 == 0 { b >> 4 } else { (b & 15) << 3 };
    a * b
}

fn product_exponent(a: u32, b: u32, phase: u32) -> i32 {
    field(a) + field(b) - 127 - 5 * (phase & 1) as i32 - 7 * (phase >> 1) as i32
}

pub(super) fn mul(cfg: &MathConfig, a: f32, b: f32, dst: f32) -> f32 {
    let (a, b, mut dst) = (a.to_bits(), b.to_bits(), dst.to_bits());
    for phase in 0..cfg.phases() {
        let exponent = product_exponent(a, b, phase);
        let mut sum = Sum::default();
        if !absent(a) && !absent(b) && exponent > 0 {
            sum = Sum { negative: (a ^ b) >> 31 == 1, magnitude: product(a, b, phase), exponent };
        }
        dst = accumulate(cfg, &[sum], dst);
    }
    f32::from_bits(dst)
}

/// `a + b`, with b negated for a subtraction; `dst` is 0 without accumulation.
pub(super) fn add(cfg: &MathConfig, a: f32, b: f32, dst: f32) -> f32 {
    let flush = |v: f32| if absent(v.to_bits()) { 0 } else { v.to_bits() };
    let (mut large, mut small) = (flush(a), flush(b));
    if large & 0x7FFF_FFFF < small & 0x7FFF_FFFF {
        std::mem::swap(&mut large, &mut small);
    }
    let bits = |v: u32| {
        if absent(v) { 0 } else { u64::from(v >> 13 & 0x3FF) | 0x400 }
    };
    let aligned = round_shift(bits(small), field(large) - field(small), true);
    let negative = large >> 31 == 1;
    let magnitude = if negative == (small >> 31 == 1) { bits(large) + aligned } else { bits(large) - aligned };
    let sum = Sum { negative, magnitude, exponent: field(large) };
    f32::from_bits(accumulate(cfg, &[sum], dst.to_bits()))
}

fn group(a: &[u32], b: &[u32], phase: u32) -> Sum {
    let present = |i: &usize| !absent(a[*i]) && !absent(b[*i]);
    let largest = (0..8).filter(present).map(|i| product_exponent(a[i], b[i], phase)).max().unwrap_or(0);
    if largest <= 0 {
        return Sum::default();
    }
    let mut total = 0i64;
    for i in (0..8).filter(present) {
        let rounded = round_shift(product(a[i], b[i], phase), largest - product_exponent(a[i], b[i], phase), true);
        total += if (a[i] ^ b[i]) >> 31 == 1 { -(rounded as i64) } else { rounded as i64 };
    }
    Sum { negative: total < 0, magnitude: total.unsigned_abs(), exponent: largest }
}

fn at(row: usize, column: usize) -> usize {
    (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16
}

pub(super) fn matmul(cfg: &MathConfig, in0: &Tile, in1: &Tile, transpose: bool, dst: &mut Tile) {
    for phase in 0..cfg.phases() {
        for face in 0..2 {
            for row in 0..32 {
                for column in 0..32 {
                    let inner = face * 16..face * 16 + 16;
                    let b: Vec<u32> = inner.clone().map(|k| in0.0[at(row, k)].to_bits()).collect();
                    let place = |k| {
                        if transpose { at(column, k) } else { at(k, column) }
                    };
                    let a: Vec<u32> = inner.map(|k| in1.0[place(k)].to_bits()).collect();
                    let sums = [group(&a[..8], &b[..8], phase), group(&a[8..], &b[8..], phase)];
                    let value = &mut dst.0[at(row, column)];
                    *value = f32::from_bits(accumulate(cfg, &sums, value.to_bits()));
                }
            }
        }
    }
}
