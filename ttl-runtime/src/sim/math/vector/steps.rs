//! Single instructions of the vector unit, each on a face of values at a time.
//!
//! Programs are sequences of these, written once and in the order of the hardware's instructions; only the loops below are compiled
//! for every instruction set of the host.

use std::mem::MaybeUninit;

use super::super::fma::{self, fma};
use super::super::lanes::{Lanes, dispatch};

pub(super) const SIGN: u32 = 0x8000_0000;
pub(super) const MAGNITUDE: u32 = 0x7FFF_FFFF;
pub(super) const MANTISSA: u32 = 0x7F_FFFF;
pub(super) const INFINITY: u32 = 0x7F80_0000;
pub(super) const NAN: u32 = 0x7FC0_0000;

/// Values that are worked on together.
pub(super) const BLOCK: usize = 256;

/// A register of the vector unit for a block of values; floats as bits, integers, or masks (0 and all ones).
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Reg(pub(super) [u32; BLOCK]);

/// A register, or the same word everywhere.
#[derive(Clone, Copy)]
pub(super) enum Arg<'a> {
    Reg(&'a Reg),
    Word(u32),
}

impl<'a> From<&'a Reg> for Arg<'a> {
    fn from(reg: &'a Reg) -> Arg<'a> {
        Arg::Reg(reg)
    }
}

impl From<f32> for Arg<'_> {
    fn from(x: f32) -> Self {
        Arg::Word(x.to_bits())
    }
}

impl From<u32> for Arg<'_> {
    fn from(x: u32) -> Self {
        Arg::Word(x)
    }
}

impl Arg<'_> {
    #[inline(always)]
    pub(super) unsafe fn load<L: Lanes>(self, i: usize) -> L::V {
        // SAFETY: `i` stays within a block; the instruction set is the caller's.
        unsafe {
            match self {
                Arg::Reg(reg) => L::load(reg.0.as_ptr().add(i)),
                Arg::Word(word) => L::splat(word),
            }
        }
    }
}

macro_rules! steps {
    ($L:ident: $($(#[$doc:meta])* fn $name:ident = $lanes:ident($($arg:ident),*) $body:expr;)*) => {
        $(
            $(#[$doc])*
            pub(super) fn $name<'a>($($arg: impl Into<Arg<'a>>),*) -> Reg {
                dispatch!(fn run($($arg: Arg<'_>,)* out: &mut MaybeUninit<Reg>) = $lanes);
                let mut out = MaybeUninit::uninit();
                run($($arg.into(),)* &mut out);
                // SAFETY: the loop below wrote all of it.
                unsafe { out.assume_init() }
            }

            #[inline(always)]
            unsafe fn $lanes<$L: Lanes>($($arg: Arg<'_>,)* out: &mut MaybeUninit<Reg>) {
                // SAFETY: indices stay within a block; the instruction set is the caller's.
                unsafe {
                    for i in (0..BLOCK).step_by($L::N) {
                        $(let $arg = $arg.load::<$L>(i);)*
                        $L::store(out.as_mut_ptr().cast::<u32>().add(i), $body);
                    }
                }
            }
        )*
    };
}

pub(super) use steps;

steps! { L:
    /// `a * b + c` of either chip.
    fn mad_blackhole = mad_blackhole_lanes(a, b, c) fma::<L, false>(a, b, c);
    fn mad_wormhole = mad_wormhole_lanes(a, b, c) fma::<L, true>(a, b, c);
    fn mul_blackhole = mul_blackhole_lanes(a, b) fma::mul::<L, false>(a, b);
    fn mul_wormhole = mul_wormhole_lanes(a, b) fma::mul::<L, true>(a, b);
    fn add_blackhole = add_blackhole_lanes(a, b) fma::add::<L, false>(a, b);
    fn add_wormhole = add_wormhole_lanes(a, b) fma::add::<L, true>(a, b);

    fn and = and_lanes(a, b) L::and(a, b);
    fn or = or_lanes(a, b) L::or(a, b);
    fn xor = xor_lanes(a, b) L::xor(a, b);
    fn int_add = int_add_lanes(a, b) L::add(a, b);
    fn int_sub = int_sub_lanes(a, b) L::sub(a, b);
    fn shift_right_1 = shift_right_1_lanes(a) L::shr::<1>(a);
    fn shift_right_16 = shift_right_16_lanes(a) L::shr::<16>(a);
    fn shift_right_23 = shift_right_23_lanes(a) L::shr::<23>(a);
    fn shift_left_8 = shift_left_8_lanes(a) L::shl::<8>(a);
    fn shift_left_23 = shift_left_23_lanes(a) L::shl::<23>(a);
    fn shift_left_31 = shift_left_31_lanes(a) L::shl::<31>(a);
    /// Minus one, as mask, shifted left by `places` where that is 0..=31; unchanged for others.
    fn mask_above = mask_above_lanes(places)
        L::select(L::gt(L::splat(0), places), L::splat(!0), L::shlv(L::splat(!0), places));
    /// Signed comparison, and equality of bits.
    fn greater = greater_lanes(a, b) L::keep(L::gt(a, b), L::splat(!0));
    fn equal = equal_lanes(a, b) L::keep(L::eq(a, b), L::splat(!0));
    /// `a` where the mask is set, else `b`.
    fn select = select_lanes(mask, a, b) L::select(L::eq(mask, L::splat(0)), b, a);
    fn int_to_float = int_to_float_lanes(a) L::or(L::to_float(L::abs(a)), L::and(a, L::splat(SIGN)));
    /// The same from sign and magnitude.
    fn magnitude_to_float = magnitude_to_float_lanes(a)
        L::or(L::to_float(L::and(a, L::splat(MAGNITUDE))), L::and(a, L::splat(SIGN)));
    /// Absolute value; a NaN keeps its sign.
    fn float_abs = float_abs_lanes(a)
        L::select(L::gt(L::and(a, L::splat(MAGNITUDE)), L::splat(INFINITY)), a, L::and(a, L::splat(MAGNITUDE)));
    /// Absolute value of an integer.
    fn int_abs = int_abs_lanes(a) L::abs(a);

    /// Comparison, smaller and larger in the order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
    fn above = above_lanes(a, b) L::keep(L::gt(order::<L>(a), order::<L>(b)), L::splat(!0));
    fn min = min_lanes(a, b) L::select(L::gt(order::<L>(a), order::<L>(b)), b, a);
    fn max = max_lanes(a, b) L::select(L::gt(order::<L>(b), order::<L>(a)), b, a);

    fn exponent = exponent_lanes(a) L::exponent(a);
    /// The exponent field of `a` replaced by the low 8 bits of `exponent`.
    fn set_exponent = set_exponent_lanes(a, exponent)
        L::or(L::and(a, L::splat(SIGN | MANTISSA)), L::and(L::shl::<23>(exponent), L::splat(INFINITY)));
    /// `places` added to the exponent field, except that of infinities and NaN.
    fn add_exponent = add_exponent_lanes(a, places)
        L::select(
            L::eq(L::exponent(a), L::splat(255)),
            a,
            L::or(L::and(a, L::splat(SIGN | MANTISSA)), L::and(L::shl::<23>(L::add(L::exponent(a), places)), L::splat(INFINITY))));
    fn copy_sign = copy_sign_lanes(a, sign) L::or(L::and(a, L::splat(MAGNITUDE)), L::and(sign, L::splat(SIGN)));
    /// The significand with its leading one, shifted left by the unbiased exponent (right if negative), of which 5 bits count.
    fn shifted_significand = shifted_significand_lanes(a) shift_significand::<L>(a);
    /// Round to an integer of at most 16 bits with sign, half away from zero.
    fn to_int16 = to_int16_lanes(a) L::signed(integer::<L, 32767>(a), L::sar::<31>(a));
    /// The same without the sign, at most 255.
    fn to_uint8 = to_uint8_lanes(a) integer::<L, 255>(a);
    /// First approximation of 1/a of Blackhole: 7 bits from a table.
    fn approximate_reciprocal = approximate_reciprocal_lanes(a) reciprocal::<L>(a);

    /// Round to bf16, half away from zero; denormals become +0, NaN becomes infinity.
    fn round_bf16 = round_bf16_lanes(a) bf16::<L>(a);
    /// Round to bf16 by integer arithmetic on the bits, ties to even.
    fn round_bf16_even = round_bf16_even_lanes(a)
        L::and(L::add(L::add(a, L::splat(0x7FFF)), L::and(L::shr::<16>(a), L::splat(1))), L::splat(0xFFFF_0000));
    /// What a tile register holds after a store: denormals are flushed.
    fn flush = flush_lanes(a) L::select(L::gt(L::and(a, L::splat(MAGNITUDE)), L::splat(MANTISSA)), a, L::and(a, L::splat(SIGN)));
}

/// A signed integer in the order of floats.
#[inline(always)]
unsafe fn order<L: Lanes>(a: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe { L::xor(a, L::shr::<1>(L::sar::<31>(a))) }
}

#[inline(always)]
unsafe fn shift_significand<L: Lanes>(a: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let exponent = L::sub(L::exponent(a), L::splat(127));
        let bits = L::or(L::and(a, L::splat(MANTISSA)), L::splat(MANTISSA + 1));
        let left = L::shlv(bits, L::and(exponent, L::splat(31)));
        let right = L::shrv(bits, L::and(L::sub(L::splat(0), exponent), L::splat(31)));
        L::select(L::gt(L::splat(0), exponent), right, left)
    }
}

#[inline(always)]
pub(super) unsafe fn integer<L: Lanes, const LIMIT: u32>(a: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let exponent = L::sub(L::exponent(a), L::splat(127));
        let bits = L::or(L::and(a, L::splat(MANTISSA)), L::splat(MANTISSA + 1));
        let doubled = L::shrv(L::shl::<1>(bits), L::sub(L::splat(23), exponent));
        let size = L::min(L::shr::<1>(L::add(doubled, L::splat(1))), L::splat(LIMIT));
        let size = L::select(L::gt(exponent, L::splat(15)), L::splat(LIMIT), size);
        L::keep(L::gt(exponent, L::splat(-2i32 as u32)), size)
    }
}

#[inline(always)]
unsafe fn reciprocal<L: Lanes>(a: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let size = L::and(a, L::splat(MAGNITUDE));
        let mantissa = L::lookup(&RECIPROCALS, L::shr::<16>(a));
        let value = L::or(L::shl::<23>(L::sub(L::splat(253), L::shr::<23>(size))), mantissa);
        let value = L::keep(L::gt(L::splat(0x7E80_0000), size), value);
        let value = L::select(L::gt(L::splat(MANTISSA + 1), size), L::splat(INFINITY), value);
        L::or(value, L::and(a, L::splat(SIGN)))
    }
}

#[inline(always)]
unsafe fn bf16<L: Lanes>(a: L::V) -> L::V {
    // SAFETY: passed on to the caller.
    unsafe {
        let field = L::exponent(a);
        let rounded = L::and(L::add(a, L::splat(0x8000)), L::splat(0xFFFF_0000));
        let special = L::and(a, L::splat(SIGN | INFINITY));
        let value = L::select(L::eq(field, L::splat(255)), special, rounded);
        L::keep(L::not_eq(field, L::splat(0)), value)
    }
}

/// Mantissas of 2 / m for m at the middle of each 128th of [1, 2), rounded to 7 bits.
static RECIPROCALS: [u32; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        let (up, down) = (255 - 2 * i as u32, 257 + 2 * i as u32);
        table[i] = ((256 * up + down) / (2 * down)) << 16;
        i += 1;
    }
    table
};

/// What differs between the chips in every step, the width of the tile registers, and whether operations may be coarse.
#[derive(Clone, Copy)]
pub(super) struct Unit {
    pub(super) wormhole: bool,
    pub(super) fp32: bool,
    /// The library's longer polynomials, for operations that have two: kernels that define `INP_FLOAT32`.
    pub(super) long: bool,
    /// `math_approx_mode`, which most operations ignore: they name their precision themselves.
    pub(super) approx: bool,
}

impl Unit {
    /// `a * b + c`.
    pub(super) fn mad<'a>(self, a: impl Into<Arg<'a>>, b: impl Into<Arg<'a>>, c: impl Into<Arg<'a>>) -> Reg {
        if self.wormhole { mad_wormhole(a, b, c) } else { mad_blackhole(a, b, c) }
    }

    pub(super) fn mul<'a>(self, a: impl Into<Arg<'a>>, b: impl Into<Arg<'a>>) -> Reg {
        if self.wormhole { mul_wormhole(a, b) } else { mul_blackhole(a, b) }
    }

    pub(super) fn add<'a>(self, a: impl Into<Arg<'a>>, b: impl Into<Arg<'a>>) -> Reg {
        if self.wormhole { add_wormhole(a, b) } else { add_blackhole(a, b) }
    }

    pub(super) fn sub(self, a: &Reg, b: &Reg) -> Reg {
        let minus_b = neg(b);
        // Wormhole multiplies b by -1, which only a NaN shows.
        if self.wormhole { add_wormhole(&minus_b, a) } else { add_blackhole(a, &minus_b) }
    }

    /// `c - a * b`: Wormhole rounds the product, since it cannot negate an operand.
    pub(super) fn sub_product<'a>(self, c: impl Into<Arg<'a>>, a: &Reg, b: impl Into<Arg<'a>>) -> Reg {
        let (b, c) = (b.into(), c.into());
        if self.wormhole { mad_wormhole(&mul_wormhole(a, b), -1.0, c) } else { mad_blackhole(&neg(a), b, c) }
    }

    /// `a * b - c`, likewise.
    pub(super) fn product_sub<'a>(self, a: impl Into<Arg<'a>>, b: impl Into<Arg<'a>>, c: &Reg) -> Reg {
        let (a, b) = (a.into(), b.into());
        if self.wormhole { mad_wormhole(c, -1.0, &mul_wormhole(a, b)) } else { mad_blackhole(a, b, &neg(c)) }
    }

    /// `c0 + x * (c1 + x * (c2 + ...))`.
    pub(super) fn polynomial(self, x: &Reg, coefficients: &[f32]) -> Reg {
        let mut terms = coefficients.iter().rev();
        let Some(&last) = terms.next() else {
            return Reg([0; BLOCK]);
        };
        let mut sum = Reg([last.to_bits(); BLOCK]);
        for &c in terms {
            sum = self.mad(x, &sum, c);
        }
        sum
    }

    /// The store of operations that round in software: 16-bit registers get the nearest value.
    pub(super) fn store_rounded(self, a: &Reg) -> Reg {
        if self.fp32 { self.store(a) } else { self.store(&round_bf16(a)) }
    }

    /// Whether `x > limit`, or `x >= limit`: Blackhole compares, Wormhole looks at the difference.
    pub(super) fn exceeds(self, x: &Reg, limit: f32, or_equal: bool) -> Reg {
        if self.wormhole {
            let difference = self.add(x, -limit);
            greater(&difference, if or_equal { !0 } else { 0 })
        } else if or_equal {
            not(&above(limit, x))
        } else {
            above(x, limit)
        }
    }

    /// What the tile register holds after a store; 16-bit registers cut the lower half off.
    pub(super) fn store(self, a: &Reg) -> Reg {
        let flushed = flush(a);
        if self.fp32 { flushed } else { and(&flushed, 0xFFFF_0000) }
    }
}

pub(super) fn neg(a: &Reg) -> Reg {
    xor(a, SIGN)
}

/// Whether a mask has a lane that is not set.
pub(super) fn any_unset(mask: &Reg) -> bool {
    mask.0.iter().fold(!0, |all, lane| all & lane) != !0
}

pub(super) fn not(a: &Reg) -> Reg {
    xor(a, !0)
}
