//! How the matrix unit adds one or two sums of products to a tile register.
//!
//! All terms are aligned to the largest exponent among them, in a frame of 24 bits, rounding each on its own: sums half up, the old
//! register value half away from zero. With 16-bit registers the low 13 bits are then rounded away from each. The exact sum of what
//! is left is normalised and rounded half away from zero to the register's precision.
//!
//! `accumulate` does that in integers, for all instruction sets; [`Accumulate`] is for ordinary numbers only, with AVX-512 in floats.
//!
//! Everything in `accumulate` carries one extra bit (values doubled), so that a right shift leaves the bit that rounds.

#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2, Avx512};
use super::lanes::{Lanes, Portable};

/// One sum of products: `value` is the signed sum times 2^14 (so that `value * 2^(exponent - 164)` is what it stands for), and the
/// biased exponent, which is not normalised. Zero has exponent 0.
pub(super) struct Term<V> {
    pub(super) value: V,
    pub(super) exponent: V,
}

/// The sum of `terms` and the tile register's lanes `dst`.
///
/// `NORMAL` promises what makes checks unnecessary: every term has an exponent of at least 27 (also if it is zero; then not larger
/// than that of a non-zero `dst`), `dst` is normal or zero, and no sum comes near infinity. Then the result is also multiplied by
/// 2^`rescale` (in the place of a float's exponent, wrapping).
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
    rescale: u32,
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
            let unit = L::add(L::shl::<23>(exponent), L::splat(rescale.wrapping_sub((151 - 127) << 23)));
            let unit = L::or(unit, sign);
            result = L::fma(float, unit, zero);
        } else {
            result = finish::<L>(float, exponent, total, sign);
        }
        if WORMHOLE && FP32 {
            // A sum of minus one unit is normalised wrongly: it becomes -2^27 units.
            let bug = L::eq(total, L::splat(-2i32 as u32));
            let field = L::min(L::add(exponent, L::splat(4)), L::splat(255));
            let large = L::or(L::shl::<23>(field), L::splat(0x8000_0000));
            let large = if NORMAL { L::add(large, L::splat(rescale)) } else { large };
            result = L::select(bug, large, result);
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

/// Two sums of a matrix product, for numbers in the range that `NORMAL` means above.
pub(super) struct Groups<V> {
    /// Floats: what the sum started from plus the sum.
    pub(super) sums: [V; 2],
    /// Floats: 1.5 * 2^23 units, where the unit is the last bit of the group's largest product.
    pub(super) starts: [V; 2],
    /// The larger of the two groups' exponents, in the place of a float's exponent.
    pub(super) largest: V,
}

/// `accumulate` for numbers in the range that `NORMAL` means, in the best way for the instruction set. Results are multiplied by
/// 2^`rescale` (in the place of a float's exponent, wrapping).
pub(super) trait Accumulate: Lanes {
    /// Whether there is `add_exact`.
    const EXACT: bool = false;

    /// # Safety
    /// The processor must have the instruction set.
    #[inline(always)]
    unsafe fn add_groups<const FP32: bool, const WORMHOLE: bool>(
        groups: &Groups<Self::V>,
        dst: Self::V,
        rescale: u32,
    ) -> Self::V {
        // SAFETY: passed on to the caller.
        unsafe {
            let [one, two] = groups.sums;
            let [start_one, start_two] = groups.starts;
            let exponent = |start| Self::sub(Self::shr::<23>(start), Self::splat(13));
            let terms = [
                Term { value: Self::shl::<14>(one), exponent: exponent(start_one) },
                Term { value: Self::shl::<14>(two), exponent: exponent(start_two) },
            ];
            accumulate::<Self, 2, FP32, WORMHOLE, true>(terms, dst, rescale)
        }
    }

    /// Adds terms that are floats of no more than 17 bits and have their largest exponent (in the place of a float's exponent)
    /// beside them. Only if `EXACT`.
    ///
    /// # Safety
    /// The processor must have the instruction set.
    #[inline(always)]
    unsafe fn add_exact<const TERMS: usize, const FP32: bool, const WORMHOLE: bool>(
        _terms: [Self::V; TERMS],
        _largest: Self::V,
        dst: Self::V,
        _rescale: u32,
    ) -> Self::V {
        dst
    }
}

impl Accumulate for Portable {}
#[cfg(target_arch = "x86_64")]
impl Accumulate for Avx2 {}

/// In floats, with the rounding that each step needs: `floor(x + 1/2)` is right even if the sum itself is rounded, as long as it is
/// rounded down, because a whole number is never skipped; the same with truncation for half away from zero.
#[cfg(target_arch = "x86_64")]
impl Accumulate for Avx512 {
    const EXACT: bool = true;

    #[inline(always)]
    unsafe fn add_groups<const FP32: bool, const WORMHOLE: bool>(
        groups: &Groups<Self::V>,
        dst: Self::V,
        rescale: u32,
    ) -> Self::V {
        // SAFETY: passed on to the caller.
        unsafe {
            let one = Self::sub_floats(groups.sums[0], groups.starts[0]);
            let two = Self::sub_floats(groups.sums[1], groups.starts[1]);
            Self::add_exact::<2, FP32, WORMHOLE>([one, two], groups.largest, dst, rescale)
        }
    }

    #[inline(always)]
    unsafe fn add_exact<const TERMS: usize, const FP32: bool, const WORMHOLE: bool>(
        terms: [Self::V; TERMS],
        largest: Self::V,
        dst: Self::V,
        rescale: u32,
    ) -> Self::V {
        // SAFETY: passed on to the caller.
        unsafe {
            // Whole numbers are the frame's last bit 2^(exponent - 150), or with 16-bit registers what is left of the frame, 2^13 times
            // as much; there the half unit of the first rounding is added as well.
            let (unit, half) = if FP32 { (150, 0.5f32) } else { (150 - 13, 0.5 + 1.0 / 16384.0) };
            let half = Self::splat(half.to_bits());
            let field = Self::max(Self::and(dst, Self::splat(0x7F80_0000)), largest);
            let scale = Self::sub(Self::splat(((127 + unit) as u32) << 23), field);
            let signed_half = Self::or(Self::and(dst, Self::splat(0x8000_0000)), half);
            let mut total = Self::truncate(Self::fma_toward_zero(dst, scale, signed_half));
            for term in terms {
                total = Self::add(total, Self::floor(Self::fma_down(term, scale, half)));
            }
            let less = |bits: u32| Self::add(field, Self::splat(rescale.wrapping_sub(bits << 23)));
            if !FP32 {
                let float = Self::and(Self::add(Self::to_float(total), Self::splat(0x8000)), Self::splat(0xFFFF_0000));
                return Self::mul_floats(float, less(10));
            }
            // Doubled, and with a sticky bit that makes ties round away from zero, as above.
            let size = Self::abs(total);
            let wide = Self::gt(size, Self::splat((1 << 24) - 1));
            let doubled = Self::add(size, size);
            let mut float = Self::to_float(Self::or(doubled, Self::keep(wide, Self::splat(1))));
            if WORMHOLE {
                // Minus one unit becomes -2^27 units.
                float = Self::select(Self::eq(total, Self::splat(!0)), Self::splat((127 + 28) << 23), float);
            }
            let sign = Self::and(total, Self::splat(0x8000_0000));
            Self::mul_floats(float, Self::or(less(24), sign))
        }
    }
}
