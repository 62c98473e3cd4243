//! The product of any tiles, with checks of everything that can happen at the limits of the exponent.

use super::super::Tile;
use super::super::accumulate::{Term, accumulate};
use super::super::lanes::Lanes;
use super::operands::{Operand, START};
use super::{face_offset, phase_shift};

/// Biased exponent of zero (and denormal) elements: their products are never the largest of a group.
const ZERO_EXPONENT: i16 = -1000;

/// Biased exponents of all elements.
type Exponents = [i16; 1024];

fn exponents(operand: &Operand) -> Exponents {
    std::array::from_fn(|i| match operand.raw[i] >> 23 & 255 {
        0 => ZERO_EXPONENT,
        field => field as i16,
    })
}

/// Whether the float path is exact: parts are normal numbers, no group sum is below the smallest exponent in any phase, and the
/// starting value of a sum is a normal number. Tiles of zeros are in range.
fn in_range(in0: &Operand, in1: &Operand) -> bool {
    let zero = in0.largest == 0 || in1.largest == 0;
    let finite = in0.largest < 255 && in1.largest < 255;
    let large = in0.largest + in1.largest <= 340;
    let small = in0.smallest >= 20 && in1.smallest >= 20 && in0.smallest + in1.smallest >= 140;
    finite && (zero || (large && small))
}

#[inline(always)]
pub(super) unsafe fn step<L: Lanes, const FP32: bool, const WORMHOLE: bool>(
    in0: &Operand,
    in1: &Operand,
    phases: u32,
    dst: &mut Tile,
) {
    let operands = [(in0, &exponents(in0)), (in1, &exponents(in1))];
    // SAFETY: passed on to the caller.
    unsafe {
        if L::FAST_FMA && in_range(in0, in1) {
            float_step::<L, FP32, WORMHOLE>(operands, phases, dst);
        } else {
            integer_step::<L, FP32, WORMHOLE>(operands, phases, dst);
        }
    }
}

/// Rows whose chains of dependent operations run side by side.
const ROWS: usize = 2;

#[allow(clippy::needless_range_loop)]
#[inline(always)]
unsafe fn float_step<L: Lanes, const FP32: bool, const WORMHOLE: bool>(
    [(in0, in0_exponents), (in1, in1_exponents)]: [(&Operand, &Exponents); 2],
    phases: u32,
    dst: &mut Tile,
) {
    // The exponent of groups without products is not positive after the subtraction below.
    const LEAST: i16 = 127;
    // SAFETY: indices stay below 1024; the instruction set is the caller's.
    unsafe {
        for row in (0..32).step_by(ROWS) {
            for column in (0..32).step_by(2 * L::N) {
                let mut halves = [[L::splat_half(LEAST); 4]; ROWS];
                for k in 0..32 {
                    let right = L::load_half(in1_exponents.as_ptr().add(k * 32 + column));
                    for (r, groups) in halves.iter_mut().enumerate() {
                        let left = L::splat_half(in0_exponents[(row + r) * 32 + k]);
                        groups[k / 8] = L::max_half(groups[k / 8], L::add_half(left, right));
                    }
                }
                // Loops rather than closures: those would not be compiled for the instruction set.
                let mut exponents = [[[L::splat(0); 2]; 4]; ROWS];
                let mut sums = [[L::splat(0); 2]; ROWS];
                for r in 0..ROWS {
                    for group in 0..4 {
                        exponents[r][group] = L::widen(halves[r][group]);
                    }
                    for h in 0..2 {
                        sums[r][h] = L::load(dst.words().add(face_offset(row + r, column + h * L::N)));
                    }
                }
                for phase in 0..phases {
                    let left = in0.part[(phase >> 1) as usize].as_ptr();
                    let right = in1.part[(phase & 1) as usize].as_ptr();
                    let shift = phase_shift(phase);
                    for face in 0..2 {
                        for r in 0..ROWS {
                            for h in 0..2 {
                                let left = left.add((row + r) * 32);
                                let right = right.add(column + h * L::N);
                                let (one, two) = (face * 2, face * 2 + 1);
                                let terms = [
                                    float_group::<L>(left, right, one, exponents[r][one][h], shift),
                                    float_group::<L>(left, right, two, exponents[r][two][h], shift),
                                ];
                                sums[r][h] = accumulate::<L, 2, FP32, WORMHOLE, false>(terms, sums[r][h], 0);
                            }
                        }
                    }
                }
                for r in 0..ROWS {
                    for h in 0..2 {
                        L::store(dst.words_mut().add(face_offset(row + r, column + h * L::N)), sums[r][h]);
                    }
                }
            }
        }
    }
}

/// The sum of one group; `left` is a row, `right` a column, `exponent` that of the largest product plus 127, in the first phase.
#[inline(always)]
unsafe fn float_group<L: Lanes>(
    left: *const u32,
    right: *const u32,
    group: usize,
    exponent: L::V,
    shift: u32,
) -> Term<L::V> {
    // SAFETY: the caller passes whole rows of prepared parts.
    unsafe {
        let exponent = L::sub(exponent, L::splat(127));
        let mut sum = L::add(L::shl::<23>(exponent), L::splat(START));
        for k in group * 8..group * 8 + 8 {
            sum = L::fma(L::splat(*left.add(k)), L::load(right.add(k * 32)), sum);
        }
        Term { value: L::shl::<14>(sum), exponent: L::sub(exponent, L::splat(shift)) }
    }
}

/// The same for any inputs: every product is shifted and rounded on its own.
#[inline(always)]
unsafe fn integer_step<L: Lanes, const FP32: bool, const WORMHOLE: bool>(
    operands: [(&Operand, &Exponents); 2],
    phases: u32,
    dst: &mut Tile,
) {
    // SAFETY: indices stay below 1024; the instruction set is the caller's.
    unsafe {
        for row in 0..32 {
            for column in (0..32).step_by(L::N) {
                let at = dst.words_mut().add(face_offset(row, column));
                let mut sum = L::load(at);
                for phase in 0..phases {
                    for face in 0..2 {
                        let terms = [
                            integer_group::<L>(operands, row, column, face * 2, phase),
                            integer_group::<L>(operands, row, column, face * 2 + 1, phase),
                        ];
                        sum = accumulate::<L, 2, FP32, WORMHOLE, false>(terms, sum, 0);
                    }
                }
                L::store(at, sum);
            }
        }
    }
}

#[inline(always)]
unsafe fn integer_group<L: Lanes>(
    [(in0, in0_exponents), (in1, in1_exponents)]: [(&Operand, &Exponents); 2],
    row: usize,
    column: usize,
    group: usize,
    phase: u32,
) -> Term<L::V> {
    // SAFETY: indices stay below 1024; the instruction set is the caller's.
    unsafe {
        let zero = L::splat(0);
        let mut exponents = [zero; 8];
        let mut largest = zero;
        for (i, exponent) in exponents.iter_mut().enumerate() {
            let k = group * 8 + i;
            let left = L::splat(i32::from(in0_exponents[row * 32 + k]) as u32);
            let right =
                L::sar::<16>(L::shl::<16>(L::load16(in1_exponents.as_ptr().cast::<u16>().add(k * 32 + column))));
            *exponent = L::add(left, right);
            largest = L::max(largest, *exponent);
        }
        let mut total = zero;
        for (i, exponent) in exponents.into_iter().enumerate() {
            let k = group * 8 + i;
            let left = L::splat(in0.raw[row * 32 + k]);
            let right = L::load(in1.raw.as_ptr().add(k * 32 + column));
            // A zero element has an exponent so low that the shift leaves nothing of its made-up leading one.
            total = L::add(total, signed_product::<L>(left, right, L::sub(largest, exponent), phase));
        }
        sum_of_products::<L>(total, largest, phase)
    }
}

/// A product of two elements as an integer with its sign, `below` bits below the largest of its group.
#[inline(always)]
pub(super) unsafe fn signed_product<L: Lanes>(left: L::V, right: L::V, below: L::V, phase: u32) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let product = L::mul15(right_bits::<L>(right, phase), left_bits::<L>(left, phase));
        let shifted = L::shrv(L::shl::<1>(product), below);
        let rounded = L::shr::<1>(L::add(shifted, L::splat(1)));
        let sign = L::sar::<31>(L::xor(left, right));
        L::sub(L::xor(rounded, sign), sign)
    }
}

/// The sum of a group's products, the largest of which has this exponent.
#[inline(always)]
pub(super) unsafe fn sum_of_products<L: Lanes>(total: L::V, largest: L::V, phase: u32) -> Term<L::V> {
    // SAFETY: passed on to the caller.
    unsafe {
        let exponent = L::sub(largest, L::splat(127 + phase_shift(phase)));
        let keep = L::gt(exponent, L::splat(0));
        Term { value: L::keep(keep, L::shl::<14>(total)), exponent: L::keep(keep, exponent) }
    }
}

/// The 5 bits of SrcA that a phase multiplies.
#[inline(always)]
pub(super) unsafe fn right_bits<L: Lanes>(raw: L::V, phase: u32) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        if phase & 1 == 0 {
            L::or(L::and(L::shr::<19>(raw), L::splat(0xF)), L::splat(0x10))
        } else {
            L::and(L::shr::<14>(raw), L::splat(0x1F))
        }
    }
}

/// The 7 bits of SrcB that a phase multiplies.
#[inline(always)]
pub(super) unsafe fn left_bits<L: Lanes>(raw: L::V, phase: u32) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        if phase & 2 == 0 {
            L::or(L::and(L::shr::<17>(raw), L::splat(0x3F)), L::splat(0x40))
        } else {
            L::shl::<3>(L::and(L::shr::<13>(raw), L::splat(0xF)))
        }
    }
}
