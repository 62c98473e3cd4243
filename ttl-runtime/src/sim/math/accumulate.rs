//! How the matrix unit adds one or two sums of products to a tile register.
//!
//! All terms are aligned to the largest exponent among them, in a frame of 24 bits, rounding each on its own: sums half up, the old
//! register value half away from zero. With 16-bit registers the low 13 bits are then rounded away from each. The exact sum of what
//! is left is normalised and rounded half away from zero to the register's precision.
//!
//! Everything below carries one extra bit (values doubled), so that a right shift leaves the bit that rounds.

use super::lanes::Lanes;

/// One sum of products: `value` is the signed sum times 2^14 (so that `value * 2^(exponent - 164)` is what it stands for), and the
/// biased exponent, which is not normalised. Zero has exponent 0.
pub(super) struct Term<V> {
    pub(super) value: V,
    pub(super) exponent: V,
}

/// The sum of `terms` and the tile register's lanes `dst`.
///
/// `NORMAL` promises what makes checks unnecessary: every term has an exponent of at least 27 (also if it is zero; then not larger
/// than that of a non-zero `dst`), `dst` is normal or zero, and no sum comes near infinity.
///
/// # Safety
/// The processor must have the instruction set of `L`.
#[inline(always)]
pub(super) unsafe fn accumulate<
    L: Lanes,
    const TERMS: usize,
    const FP32: bool,
    const WORMHOLE: bool,
    const NORMAL: bool,
>(
    terms: [Term<L::V>; TERMS],
    dst: L::V,
) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let zero = L::splat(0);
        let doubled = L::shl::<1>(dst);
        let dst_exponent = L::shr::<24>(doubled);
        let mut magnitude = L::or(L::and(doubled, L::splat(0x00FF_FFFF)), L::splat(0x0100_0000));
        if !NORMAL {
            magnitude = L::keep(L::not_eq(dst_exponent, zero), magnitude);
        }
        // Otherwise the leading one that a zero gets here is shifted out below.
        let dst_sign = L::sar::<31>(dst);

        let mut exponent = dst_exponent;
        for term in &terms {
            exponent = L::max(exponent, term.exponent);
        }
        let shift = L::sub(exponent, dst_exponent);
        let mut total;
        if FP32 {
            // Inverting a negative magnitude makes the arithmetic shift and the rounding bit round half away from zero.
            let aligned = L::sarv(L::xor(magnitude, dst_sign), shift);
            total = L::and(L::add(aligned, L::splat(1)), L::splat(!1));
        } else {
            let aligned = L::add(L::shrv(magnitude, shift), L::splat(ROUND_16));
            let rounded = L::and(aligned, L::splat(KEEP_16));
            total = L::sub(L::xor(rounded, dst_sign), dst_sign);
        }
        let (round, keep) = if FP32 { (1, !1) } else { (ROUND_16, KEEP_16) };
        for term in &terms {
            let aligned = L::sarv(term.value, L::sub(exponent, term.exponent));
            total = L::add(total, L::and(L::add(aligned, L::splat(round)), L::splat(keep)));
        }

        let size = L::abs(total);
        let float = if FP32 {
            // The conversion rounds ties to even; a sticky bit below the tie makes it round away. Sizes below 2^25 convert exactly.
            let wide = L::gt(size, L::splat((1 << 25) - 1));
            L::to_float(L::or(size, L::keep(wide, L::splat(1))))
        } else {
            L::and(L::add(L::to_float(size), L::splat(0x8000)), L::splat(0xFFFF_0000))
        };
        let sign = L::and(total, L::splat(0x8000_0000));
        let mut result;
        if NORMAL {
            // The unit as a power of two, with the sign of the sum.
            let unit = L::or(L::shl::<23>(L::sub(exponent, L::splat(151 - 127))), sign);
            result = L::fma(float, unit, zero);
        } else {
            result = finish::<L>(float, exponent, total, sign);
        }
        if WORMHOLE && FP32 {
            // A sum of minus one unit is normalised wrongly: it becomes -2^27 units.
            let bug = L::eq(total, L::splat(-2i32 as u32));
            let field = L::min(L::add(exponent, L::splat(4)), L::splat(255));
            result = L::select(bug, L::or(L::shl::<23>(field), L::splat(0x8000_0000)), result);
        }
        result
    }
}

/// The sum `float` in units of `exponent`, with overflow and underflow.
#[inline(always)]
unsafe fn finish<L: Lanes>(float: L::V, exponent: L::V, total: L::V, sign: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        // `float` is at most 2^31: its exponent field is 128..=158 and the frame's unit is 2^(exponent - 151 + 127). The sum may
        // leave 0..=255 on both sides (-22..=390); an offset keeps it in an i32.
        const OFFSET: u32 = 180;
        let moved = L::add(float, L::shl::<23>(L::sub(exponent, L::splat(151 + OFFSET))));
        let tiny = L::gt(L::splat(1u32.wrapping_sub(OFFSET) << 23), moved);
        let finite = L::add(L::min(moved, L::splat((255 - OFFSET) << 23)), L::splat(OFFSET << 23));
        let zero = L::eq(total, L::splat(0));
        L::keep(L::mask_not(L::mask_or(tiny, zero)), L::or(finite, sign))
    }
}

/// With doubled values, 13 bits to drop are 14; the second summand is the half unit of the first rounding to 24 bits, which together
/// with this one is a single addition.
const ROUND_16: u32 = (1 << 13) + 1;
const KEEP_16: u32 = !((1 << 14) - 1);
