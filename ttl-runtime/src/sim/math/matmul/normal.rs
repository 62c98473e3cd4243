//! The product of ordinary tiles: exponents so far from their limits that nothing has to be checked on the way.
//!
//! For a block of a few rows by two vectors of columns, the largest exponents of all groups come first, in halves of words; they
//! are the same in all phases but for a constant. That constant is not subtracted: the lower parts are scaled up instead, and the
//! register value with them, by the last multiplication of the phase before.

use super::super::Tile;
use super::super::accumulate::{Accumulate, Groups};
use super::super::lanes::Lanes;
use super::operands::{Operand, START};
use super::{face_offset, phase_shift};

/// The biased exponent that a group without products has at least; the phases take off up to 12.
const LEAST: u32 = 27 + 12;

/// Whether products and register values are in the middle of the range:
/// - The smallest product has a biased exponent of at least 64 in all phases, so a sum that cancels has at least 41.
/// - A group without products has at most 39: no more than any register value that is not zero (the exponent of such a product is
///   what the other operand has, minus 127).
/// - The largest exponents stay below 255, with what the scaled phases add.
///
/// Tiles of zeros pass: their smallest exponent counts as 255.
#[inline(always)]
pub(super) unsafe fn applies<L: Lanes>(in0: &Operand, in1: &Operand, dst: &Tile) -> bool {
    const PRODUCT: i32 = 127 + 12 + 64;
    const LARGEST: i32 = 127 + LEAST as i32;
    if in0.smallest + in1.smallest < PRODUCT || in0.largest > LARGEST || in1.largest > LARGEST {
        return false;
    }
    // SAFETY: a tile has 1024 words; the instruction set is the caller's.
    unsafe {
        // Exponents 64..=230, as a comparison of signed numbers.
        const LOWEST: u32 = 64 << 24;
        const HIGHEST: u32 = ((231 - 64) << 24) - 1;
        let zero = L::splat(0);
        let mut bad = L::gt(zero, zero);
        for i in (0..1024).step_by(L::N) {
            let v = L::shl::<1>(L::load(dst.words().add(i)));
            let moved = L::sub(v, L::splat(LOWEST ^ 0x8000_0000));
            let outside = L::gt(moved, L::splat(HIGHEST ^ 0x8000_0000));
            bad = L::mask_or(bad, L::mask_and(outside, L::not_eq(v, zero)));
        }
        !L::any(bad)
    }
}

// Loops rather than closures: those would not be compiled for the instruction set.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
pub(super) unsafe fn step<L: Accumulate, const FP32: bool, const WORMHOLE: bool, const ROWS: usize>(
    in0: &Operand,
    in1: &Operand,
    phases: u32,
    dst: &mut Tile,
) {
    // SAFETY: indices stay below 1024; the instruction set is the caller's.
    unsafe {
        let zero = L::splat(0);
        for row in (0..32).step_by(ROWS) {
            for column in (0..32).step_by(2 * L::N) {
                // Where the sums of the four groups start, and the largest exponent of each face.
                let mut starts = [[[zero; ROWS]; 2]; 4];
                let mut largest = [[[zero; ROWS]; 2]; 2];
                let mut halves = [[L::splat_half((((LEAST << 23) + START) >> 16) as i16); ROWS]; 4];
                for group in 0..4 {
                    for k in group * 8..group * 8 + 8 {
                        let right = L::load_half(in1.exponents.as_ptr().add(k * 16 + column / 2).cast());
                        for r in 0..ROWS {
                            let left = L::as_halves(L::splat(in0.exponents[(row + r) * 32 + k]));
                            halves[group][r] = L::max_half(halves[group][r], L::add_half(left, right));
                        }
                    }
                }
                for r in 0..ROWS {
                    for group in 0..4 {
                        [starts[group][0][r], starts[group][1][r]] = L::spread(halves[group][r]);
                    }
                    for face in 0..2 {
                        let larger = L::max_half(halves[face * 2][r], halves[face * 2 + 1][r]);
                        let field = L::add_half(larger, L::splat_half(-((START >> 16) as i16)));
                        [largest[face][0][r], largest[face][1][r]] = L::spread(field);
                    }
                }
                let mut values = [[zero; ROWS]; 2];
                for r in 0..ROWS {
                    for h in 0..2 {
                        values[h][r] = L::load(dst.words().add(face_offset(row + r, column + h * L::N)));
                    }
                }
                for phase in 0..phases {
                    let left = in0.part[(phase >> 1) as usize].as_ptr().add(row * 32);
                    let right = in1.part[(phase & 1) as usize].as_ptr().add(column);
                    let next = if phase + 1 == phases { 0 } else { phase_shift(phase + 1) };
                    let rescale = next.wrapping_sub(phase_shift(phase)) << 23;
                    for face in 0..2 {
                        let mut sums = [starts[face * 2], starts[face * 2 + 1]];
                        for i in 0..8 {
                            for g in 0..2 {
                                let k = (face * 2 + g) * 8 + i;
                                let columns = [L::load(right.add(k * 32)), L::load(right.add(k * 32 + L::N))];
                                for r in 0..ROWS {
                                    let element = L::splat(*left.add(r * 32 + k));
                                    for h in 0..2 {
                                        sums[g][h][r] = L::fma(element, columns[h], sums[g][h][r]);
                                    }
                                }
                            }
                        }
                        let rescale = if face == 0 { 0 } else { rescale };
                        for r in 0..ROWS {
                            for h in 0..2 {
                                let groups = Groups {
                                    sums: [sums[0][h][r], sums[1][h][r]],
                                    starts: [starts[face * 2][h][r], starts[face * 2 + 1][h][r]],
                                    largest: largest[face][h][r],
                                };
                                values[h][r] = L::add_groups::<FP32, WORMHOLE>(&groups, values[h][r], rescale);
                            }
                        }
                    }
                }
                for r in 0..ROWS {
                    for h in 0..2 {
                        L::store(dst.words_mut().add(face_offset(row + r, column + h * L::N)), values[h][r]);
                    }
                }
            }
        }
    }
}
