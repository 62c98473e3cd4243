//! Operands of a tile product, prepared once for all the products that they take part in.

use super::super::lanes::{Lanes, dispatch};
use super::super::{MathConfig, Numerics, Tile};
use super::face_offset;

/// One operand. Which fields are filled depends on the configuration and the processor.
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct Operand {
    /// As unpacked, row-major.
    pub(super) raw: [u32; 1024],
    /// The upper and lower significant bits, as floats, row-major. The lower ones are scaled up to the place of the upper ones. With
    /// fast numerics the first has all that the fidelity multiplies, and the second nothing.
    pub(super) part: [[u32; 1024]; 2],
    /// The upper 16 bits of what is added to the upper 16 bits of the other operand's to give where a group sum starts (see
    /// [`START`]). in0: row-major, twice in each word. in1: the word for column c of a run of twice the vector's length has
    /// that column in its lower half, and the one a vector's length further right in its upper half.
    pub(super) exponents: [u32; 1024],
    /// Biased exponents over the non-zero elements; smallest > largest if there are none.
    pub(super) smallest: i32,
    pub(super) largest: i32,
}

/// A group whose largest product has the biased exponent e starts its sum from the float with exponent e + 13 and this mantissa.
pub(super) const START: u32 = 13 << 23 | 0x40_0000;

impl Operand {
    pub(super) const NEW: Operand =
        Operand { raw: [0; 1024], part: [[0; 1024]; 2], exponents: [0; 1024], smallest: 255, largest: 0 };
}

/// SrcB: 1 + 6 bits, then 4.
pub(super) fn set_in0(cfg: &MathConfig, tile: &Tile, operand: &mut Operand) {
    if cfg.numerics == Numerics::Fast {
        cut(tile, if cfg.phases() > 2 { 0xFFFF_E000 } else { 0xFFFE_0000 }, operand);
    } else {
        split_in0(tile, cfg.phases() > 2, operand);
    }
}

/// SrcA: 1 + 4 bits, then 5; the last bit of TF32 is ignored.
pub(super) fn set_in1(cfg: &MathConfig, tile: &Tile, operand: &mut Operand) {
    if cfg.numerics == Numerics::Fast {
        cut(tile, if cfg.phases() > 1 { 0xFFFF_C000 } else { 0xFFF8_0000 }, operand);
    } else {
        split_in1(tile, cfg.phases() > 1, operand);
    }
}

/// Transposes a tile, in face order.
pub(super) fn transposed(tile: &Tile) -> Tile {
    let mut out = Tile::ZERO;
    for (face, other) in [0, 2, 1, 3].into_iter().enumerate() {
        let from = &tile.0[other * 256..][..256];
        let to = &mut out.0[face * 256..][..256];
        for row in 0..16 {
            for column in 0..16 {
                to[row * 16 + column] = from[column * 16 + row];
            }
        }
    }
    out
}

dispatch!(fn split_in0(tile: &Tile, lower: bool, out: &mut Operand) = split[true]);
dispatch!(fn split_in1(tile: &Tile, lower: bool, out: &mut Operand) = split[false]);
dispatch!(fn cut(tile: &Tile, keep: u32, out: &mut Operand) = cut_lanes);

#[inline(always)]
unsafe fn split<L: Lanes, const IN0: bool>(tile: &Tile, lower: bool, out: &mut Operand) {
    let (upper_bits, all_bits) = if IN0 { (0xFFFE_0000, 0xFFFF_E000) } else { (0xFFF8_0000, 0xFFFF_C000) };
    // in0 has the factor that decides ties.
    let factor: f32 = if IN0 { 1.0 + 1.0 / 65536.0 } else { 1.0 };
    let lower_factor = factor * if IN0 { 128.0 } else { 32.0 };
    // SAFETY: all arrays have 1024 words; the instruction set is the caller's.
    unsafe {
        let zero = L::splat(0);
        let (mut smallest, mut largest) = (L::splat(255 << 23), zero);
        for row in 0..32 {
            for column in (0..32).step_by(2 * L::N) {
                let mut fields = [zero; 2];
                for (half, field) in fields.iter_mut().enumerate() {
                    let column = column + half * L::N;
                    let i = row * 32 + column;
                    let raw = L::load(tile.words().add(face_offset(row, column)));
                    L::store(out.raw.as_mut_ptr().add(i), raw);
                    *field = L::and(raw, L::splat(0x7F80_0000));
                    let present = L::gt(*field, zero);
                    largest = L::max(largest, *field);
                    smallest = L::min(smallest, L::select(present, *field, L::splat(255 << 23)));
                    if !L::FAST_FMA {
                        continue;
                    }
                    let upper = L::keep(present, L::and(raw, L::splat(upper_bits)));
                    let scaled = if IN0 { L::fma(upper, L::splat(factor.to_bits()), zero) } else { upper };
                    L::store(out.part[0].as_mut_ptr().add(i), scaled);
                    if lower {
                        let all = L::keep(present, L::and(raw, L::splat(all_bits)));
                        let rest = L::fma(upper, L::splat((-1f32).to_bits()), all);
                        let scaled = L::fma(rest, L::splat(lower_factor.to_bits()), zero);
                        L::store(out.part[1].as_mut_ptr().add(i), scaled);
                    }
                    if IN0 {
                        let word = L::add(*field, L::splat(START.wrapping_sub(127 << 23)));
                        L::store(out.exponents.as_mut_ptr().add(i), L::or(word, L::shr::<16>(word)));
                    }
                }
                if !IN0 && L::FAST_FMA {
                    let word = L::or(L::shr::<16>(fields[0]), fields[1]);
                    L::store(out.exponents.as_mut_ptr().add(row * 16 + column / 2), word);
                }
            }
        }
        let mut lanes = [0i32; 16];
        L::store(lanes.as_mut_ptr().cast(), smallest);
        out.smallest = lanes[..L::N].iter().copied().min().unwrap_or(0) >> 23;
        L::store(lanes.as_mut_ptr().cast(), largest);
        out.largest = lanes[..L::N].iter().copied().max().unwrap_or(0) >> 23;
    }
}

#[inline(always)]
unsafe fn cut_lanes<L: Lanes>(tile: &Tile, keep: u32, out: &mut Operand) {
    // SAFETY: all arrays have 1024 words; the instruction set is the caller's.
    unsafe {
        for i in (0..1024).step_by(L::N) {
            let raw = L::load(tile.words().add(face_offset(i / 32, i % 32)));
            let present = L::not_eq(L::and(raw, L::splat(0x7F80_0000)), L::splat(0));
            L::store(out.part[0].as_mut_ptr().add(i), L::keep(present, L::and(raw, L::splat(keep))));
        }
    }
}
