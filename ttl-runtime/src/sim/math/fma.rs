//! The multiply-add of the vector unit: `x * y + z`.
//!
//! It is fused only in part. Denormal inputs are zeros. The product keeps three bits below the 24 of a float, the last of them
//! sticky (set if anything below is lost). The smaller of product and addend is shifted to the exponent of the larger, again with a
//! sticky last bit, but vanishes without a trace if all of it is shifted out. The exact sum of the two is rounded to nearest even;
//! after a cancellation there is nothing left to bring back the product's lower bits. Denormal results are flushed. The chips differ
//! in NaN, in signs of zero, and in details of rounding near the smallest numbers and after a carry of two places.

use super::lanes::Lanes;

const EXPONENT: u32 = 0xFF;
const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;
const ONE: u32 = 0x3F80_0000;
/// The only NaN of Blackhole, and the one that Wormhole starts from.
const NAN_BLACKHOLE: u32 = 0x7FC0_0000;
const NAN_WORMHOLE: u32 = 0x7F80_0001;

/// `x * y + z`.
///
/// The host's multiply-add gives the same bits if nothing of the differences above can show: all numbers are normal, the leading
/// bits do not cancel by more than one place, and the addend is so large that its last bit lies above the sticky bit of the product.
/// Then rounding to odd (which is what a sticky bit does) and rounding the sum to nearest are together one rounding.
///
/// # Safety
/// The processor must have the instruction set of `L`.
#[inline(always)]
pub(super) unsafe fn fma<L: Lanes, const WORMHOLE: bool>(x: L::V, y: L::V, z: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        if L::FAST_FMA {
            let result = L::fma(x, y, z);
            let (x_exponent, y_exponent) = (L::exponent(x), L::exponent(y));
            let (z_exponent, exponent) = (L::exponent(z), L::exponent(result));
            let product = L::sub(L::add(x_exponent, y_exponent), L::splat(127));
            let larger = L::max(product, z_exponent);
            // Each of these is positive if all is well.
            let lowest = L::min(L::min(x_exponent, y_exponent), L::min(z_exponent, product));
            // The exponent before rounding may be one less if the result is a power of two.
            let before = L::exponent(L::sub(result, L::splat(1)));
            let lowest = L::min(lowest, L::sub(before, L::splat(1)));
            let lowest = L::min(lowest, L::add(L::sub(before, larger), L::splat(2)));
            let lowest = L::min(lowest, L::add(L::sub(z_exponent, product), L::splat(3)));
            let highest = L::max(L::max(x_exponent, y_exponent), L::max(larger, exponent));
            let mut bad = L::mask_or(L::gt(L::splat(1), lowest), L::gt(highest, L::splat(253)));
            if WORMHOLE {
                // A carry of two places loses a sticky bit there.
                bad = L::mask_or(bad, L::gt(exponent, L::add(larger, L::splat(1))));
            }
            if !L::any(bad) {
                return result;
            }
        }
        exact::<L, WORMHOLE>(x, y, z)
    }
}

/// `x + z`, as 1 * x + z: there the host's addition is right for all normal numbers and zeros, since both terms have 24 bits.
///
/// # Safety
/// The processor must have the instruction set of `L`.
#[inline(always)]
pub(super) unsafe fn add<L: Lanes, const WORMHOLE: bool>(x: L::V, z: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let one = L::splat(ONE);
        if L::FAST_FMA {
            let result = L::fma(x, one, z);
            let good = L::mask_and(L::mask_and(plain::<L, 1>(x), plain::<L, 1>(z)), plain::<L, 2>(result));
            if !L::any(L::mask_not(good)) {
                // Wormhole has no negative zero here.
                let zero = L::eq(L::shl::<1>(result), L::splat(0));
                return if WORMHOLE { L::keep(L::mask_not(zero), result) } else { result };
            }
        }
        exact::<L, WORMHOLE>(x, one, z)
    }
}

/// `x * y`, as x * y + 0.
///
/// # Safety
/// The processor must have the instruction set of `L`.
#[inline(always)]
pub(super) unsafe fn mul<L: Lanes, const WORMHOLE: bool>(x: L::V, y: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let zero = L::splat(0);
        if L::FAST_FMA {
            let result = L::fma(x, y, zero);
            let absent = L::mask_or(L::eq(L::shl::<1>(x), zero), L::eq(L::shl::<1>(y), zero));
            let inputs = L::mask_and(plain::<L, 1>(x), plain::<L, 1>(y));
            let normal = L::mask_and(plain::<L, 2>(result), L::not_eq(L::shl::<1>(result), zero));
            if !L::any(L::mask_not(L::mask_and(inputs, L::mask_or(absent, normal)))) {
                return result;
            }
        }
        exact::<L, WORMHOLE>(x, y, zero)
    }
}

/// Zero, or a finite number whose exponent is at least `LEAST`.
#[inline(always)]
unsafe fn plain<L: Lanes, const LEAST: u32>(v: L::V) -> L::M {
    // SAFETY: passed on to the caller.
    unsafe {
        let size = L::shl::<1>(v);
        // Unsigned comparison by an offset: exponents LEAST..=254 come first.
        let moved = L::sub(size, L::splat((LEAST << 24).wrapping_add(SIGN)));
        let limit = L::splat(((255 - LEAST) << 24).wrapping_sub(SIGN));
        L::mask_or(L::gt(limit, moved), L::eq(size, L::splat(0)))
    }
}

/// All inputs, by integer arithmetic.
#[inline(always)]
unsafe fn exact<L: Lanes, const WORMHOLE: bool>(x: L::V, y: L::V, z: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let zero = L::splat(0);
        let one = L::splat(1);
        let (x_exponent, y_exponent, z_exponent) = (L::exponent(x), L::exponent(y), L::exponent(z));
        // Significands at bits 31..8, 27..4 and 26..3, so that the upper half of the product has three extra bits like the addend.
        let x_bits = L::keep(L::not_eq(x_exponent, zero), L::or(L::shl::<8>(x), L::splat(SIGN)));
        let y_bits = L::shr::<4>(L::keep(L::not_eq(y_exponent, zero), L::or(L::shl::<8>(y), L::splat(SIGN))));
        let z_bits = L::shr::<5>(L::keep(L::not_eq(z_exponent, zero), L::or(L::shl::<8>(z), L::splat(SIGN))));
        let (high, low) = L::mul_wide(x_bits, y_bits);
        let product = L::or(high, L::keep(L::not_eq(low, zero), one));
        let product_exponent = L::sub(L::add(x_exponent, y_exponent), L::splat(127));
        let product_sign = L::sar::<31>(L::xor(x, y));
        let z_sign = L::sar::<31>(z);

        let exponent = L::max(product_exponent, z_exponent);
        let sum = L::add(
            L::signed(sticky_shift::<L>(product, L::sub(exponent, product_exponent)), product_sign),
            L::signed(sticky_shift::<L>(z_bits, L::sub(exponent, z_exponent)), z_sign),
        );
        let size = L::abs(sum);
        let sign = L::and(sum, L::splat(SIGN));

        // Position of the leading bit, 26 if nothing moved. Without the bit after it the conversion cannot round up to the next power.
        let leading = L::shr::<23>(L::to_float(L::and(size, L::xor(L::splat(!0), L::shr::<1>(size)))));
        let mut places = L::sub(leading, L::splat(127 + 26));
        let mut exponent = L::add(exponent, places);
        let overflow = L::gt(exponent, L::splat(254));
        let mut flushed = L::eq(size, zero);
        if WORMHOLE {
            flushed = L::mask_or(flushed, L::gt(zero, exponent));
        } else {
            let denormal = L::gt(one, exponent);
            places = L::sub(places, L::keep(denormal, L::splat(!0)));
            exponent = L::keep(L::mask_not(denormal), exponent);
        }
        let lost = L::and(size, if WORMHOLE { one } else { L::or(places, one) });
        let sticky = L::keep(L::mask_and(L::gt(places, zero), L::not_eq(lost, zero)), one);
        let moved = L::or(L::or(L::shlv(size, L::sub(zero, places)), L::shrv(size, places)), sticky);
        let bits = L::add(L::shl::<23>(exponent), L::and(L::shr::<3>(moved), L::splat(0x7F_FFFF)));
        // Round up if the three bits below, plus one if the last bit is odd, exceed 4.
        let below = L::add(L::and(moved, L::splat(7)), L::and(bits, one));
        let bits = L::add(bits, L::keep(L::gt(below, L::splat(4)), one));

        let small = L::gt(L::splat(0x80_0000), bits);
        let mut result = if WORMHOLE {
            L::keep(L::mask_not(small), L::or(bits, sign))
        } else {
            L::or(L::keep(L::mask_not(small), bits), sign)
        };
        result = L::select(overflow, L::or(sign, L::splat(INFINITY)), result);
        let zero_sign = if WORMHOLE { zero } else { L::and(L::and(product_sign, z_sign), L::splat(SIGN)) };
        result = L::select(flushed, zero_sign, result);
        let no_product = L::mask_or(L::eq(product, zero), L::gt(zero, product_exponent));
        let addend = L::select(L::eq(z_bits, zero), zero_sign, z);
        result = L::select(no_product, addend, result);

        let largest = L::max(L::max(x_exponent, y_exponent), L::max(z_exponent, product_exponent));
        let special = L::gt(largest, L::splat(254));
        if L::any(special) {
            result = patch::<L, WORMHOLE>(L::bits(special), x, y, z, result);
        }
        result
    }
}

/// Shifts right; the last bit is set if anything was lost, unless nothing is left.
#[inline(always)]
unsafe fn sticky_shift<L: Lanes>(v: L::V, places: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let shifted = L::shrv(v, places);
        let lost = L::not_eq(L::shlv(shifted, places), v);
        let some = L::not_eq(shifted, L::splat(0));
        L::or(shifted, L::keep(L::mask_and(lost, some), L::splat(1)))
    }
}

/// Lanes with infinities and NaN, one by one.
#[inline(never)]
unsafe fn patch<L: Lanes, const WORMHOLE: bool>(lanes: u32, x: L::V, y: L::V, z: L::V, result: L::V) -> L::V {
    let mut arrays = [[0u32; 16]; 4];
    // SAFETY: a vector has at most 16 lanes; the instruction set is the caller's.
    unsafe {
        for (array, v) in arrays.iter_mut().zip([x, y, z, result]) {
            L::store(array.as_mut_ptr(), v);
        }
        let [x, y, z, result] = &mut arrays;
        for i in 0..L::N {
            if lanes >> i & 1 == 1 {
                result[i] = scalar(WORMHOLE, x[i], y[i], z[i]);
            }
        }
        L::load(result.as_ptr())
    }
}

/// The same for one lane and all inputs.
pub(super) fn scalar(wormhole: bool, x: u32, y: u32, z: u32) -> u32 {
    let exponent = |v: u32| (v >> 23 & EXPONENT) as i32;
    let bits = |v: u32| {
        if exponent(v) == 0 { 0u64 } else { u64::from(v & 0x7F_FFFF | 0x80_0000) }
    };
    let is_nan = |v: u32| exponent(v) == 255 && v & 0x7F_FFFF != 0;
    let (product_sign, z_sign) = ((x ^ y) & SIGN, z & SIGN);
    let mut product_exponent = exponent(x) + exponent(y) - 127;

    let infinite_factor = exponent(x) == 255 || exponent(y) == 255;
    let infinite_product = infinite_factor || product_exponent >= 255;
    let infinity_times_zero = infinite_factor && (bits(x) == 0 || bits(y) == 0);
    let invalid = is_nan(x) || is_nan(y) || infinity_times_zero;
    // Wormhole counts a finite product that overflows as infinite here, Blackhole does not.
    let opposed =
        z & !SIGN == INFINITY && z_sign != product_sign && if wormhole { infinite_product } else { infinite_factor };
    let mut nan = None;
    if wormhole && (invalid || opposed) {
        nan = Some(product_sign | NAN_WORMHOLE);
    } else if wormhole && is_nan(z) {
        nan = Some(z_sign | NAN_WORMHOLE);
    } else if invalid || opposed || is_nan(z) {
        return NAN_BLACKHOLE;
    } else if exponent(z) == 255 {
        return z;
    } else if infinite_product {
        return product_sign | INFINITY;
    }
    // A NaN of Wormhole collects mantissa bits from what follows.
    let give_up = |otherwise: u32| nan.unwrap_or(otherwise);

    let full = (bits(x) * bits(y)) << 3;
    let mut product = full >> 23 | u64::from(full & 0x7F_FFFF != 0);
    if nan.is_some() {
        product_exponent = product_exponent.min(255);
    }
    let zeros = if wormhole { 0 } else { product_sign & z_sign };
    if product == 0 || product_exponent < 0 {
        if nan.is_none() {
            return if bits(z) == 0 { zeros } else { z };
        }
        (product, product_exponent) = (0, 0);
    }
    let largest = product_exponent.max(exponent(z));
    let align = |v: u64, own: i32| {
        let places = (largest - own).min(63);
        let kept = v >> places;
        if kept == 0 { 0 } else { kept | u64::from(kept << places != v) }
    };
    let apply = |v: u64, sign: u32| if sign == 0 { v as i64 } else { -(v as i64) };
    let sum = apply(align(product, product_exponent), product_sign) + apply(align(bits(z) << 3, exponent(z)), z_sign);
    if sum == 0 {
        return give_up(zeros);
    }
    let sign = if sum < 0 { SIGN } else { 0 };
    let size = sum.unsigned_abs() as u32;
    let mut places = 5 - size.leading_zeros() as i32;
    let mut result_exponent = largest + places;
    if result_exponent >= 255 {
        return give_up(sign | INFINITY);
    }
    if wormhole && result_exponent < 0 {
        return give_up(0);
    }
    if !wormhole && result_exponent <= 0 {
        // One place more, however small the number is.
        places += 1;
        result_exponent = 0;
    }
    let moved = if places <= 0 {
        size << -places
    } else if wormhole {
        size >> places | size & 1
    } else {
        size >> places | u32::from(size & (places as u32 | 1) != 0)
    };
    let mut bits = ((result_exponent as u32) << 23) + (moved >> 3 & 0x7F_FFFF);
    bits += u32::from((moved & 7) + (bits & 1) > 4);
    if bits >> 23 == 0 {
        if wormhole {
            return give_up(0);
        }
        bits = 0;
    }
    nan.unwrap_or(sign) | bits
}
