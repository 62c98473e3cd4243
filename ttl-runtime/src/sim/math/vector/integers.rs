//! Instructions on integers, and conversions between integers, sign-and-magnitude numbers and floats.

use std::mem::MaybeUninit;

use super::super::lanes::{Lanes, dispatch};
use super::steps::*;

steps! { L:
    /// Shifted left by `places`, right if that is negative; five bits of it count.
    fn shift = shift_lanes(a, places) shifted::<L, false>(a, places);
    /// The same with copies of the sign to the right.
    fn shift_arithmetic = shift_arithmetic_lanes(a, places) shifted::<L, true>(a, places);
    /// The mantissa of `a` replaced by the low 23 bits of `mantissa`.
    fn set_mantissa = set_mantissa_lanes(a, mantissa)
        L::or(L::and(a, L::splat(SIGN | INFINITY)), L::and(mantissa, L::splat(MANTISSA)));
    /// A float rounded to sign and magnitude, at most 16 or 8 bits with sign, half away from zero.
    fn to_smag16 = to_smag16_lanes(a) smag::<L, 32767>(a);
    fn to_smag8 = to_smag8_lanes(a) smag::<L, 127>(a);
    fn to_uint16 = to_uint16_lanes(a) integer::<L, 65535>(a);
    /// The lower 32 bits of the product.
    fn int_mul = int_mul_lanes(a, b) L::mul_wide(a, b).1;
    /// Lower and upper 23 bits of the product of the lower 23 bits.
    fn mul24_low = mul24_low_lanes(a, b) L::and(L::mul_wide(a, b).1, L::splat(MANTISSA));
    fn mul24_high = mul24_high_lanes(a, b) product_high::<L>(a, b);
}

#[inline(always)]
unsafe fn shifted<L: Lanes, const SIGNED: bool>(a: L::V, places: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let left = L::shlv(a, L::and(places, L::splat(31)));
        let back = L::and(L::sub(L::splat(0), places), L::splat(31));
        let right = if SIGNED { L::sarv(a, back) } else { L::shrv(a, back) };
        L::select(L::gt(L::splat(0), places), right, left)
    }
}

#[inline(always)]
unsafe fn smag<L: Lanes, const LIMIT: u32>(a: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let size = integer::<L, LIMIT>(a);
        L::or(size, L::keep(L::not_eq(size, L::splat(0)), L::and(a, L::splat(SIGN))))
    }
}

#[inline(always)]
unsafe fn product_high<L: Lanes>(a: L::V, b: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let (high, low) = L::mul_wide(L::and(a, L::splat(MANTISSA)), L::and(b, L::splat(MANTISSA)));
        L::or(L::shl::<9>(high), L::shr::<23>(low))
    }
}

/// The same word everywhere.
pub(super) fn splat(word: u32) -> Reg {
    Reg([word; BLOCK])
}

/// The exponent without its bias.
pub(super) fn power_of(a: &Reg) -> Reg {
    int_sub(&exponent(a), 127)
}

pub(super) fn abs_bits(a: &Reg) -> Reg {
    and(a, MAGNITUDE)
}

pub(super) fn shift_left(a: &Reg, places: u32) -> Reg {
    shift(a, places)
}

pub(super) fn shift_right(a: &Reg, places: u32) -> Reg {
    shift(a, places.wrapping_neg())
}

/// `a < b` as the vector unit finds it: by the sign of the wrapping difference.
pub(super) fn int_less<'a>(a: impl Into<Arg<'a>>, b: impl Into<Arg<'a>>) -> Reg {
    is_negative(&int_sub(a, b))
}

pub(super) fn is_negative(a: &Reg) -> Reg {
    greater(0, a)
}

/// A two's complement integer as sign and magnitude, and back.
pub(super) fn to_smag(a: &Reg) -> Reg {
    or(&int_abs(a), &and(a, SIGN))
}

pub(super) fn from_smag(a: &Reg) -> Reg {
    select(&is_negative(a), &int_sub(0, &abs_bits(a)), a)
}

/// A float to an integer of 31 bits, cut; 0 below one, the largest above.
pub(super) fn to_int_positive(a: &Reg) -> Reg {
    let power = power_of(a);
    let bits = shift(&or(&and(a, MANTISSA), MANTISSA + 1), &int_sub(&power, 23));
    select(&is_negative(&power), 0, &select(&greater(&power, 30), MAGNITUDE, &bits))
}
