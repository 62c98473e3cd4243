//! Reciprocals and roots.

use super::super::steps::*;

/// `sqrt_tile`: two steps from an integer guess (Kokosinski et al. 2024), or one in approximate mode.
pub(crate) fn sqrt(unit: Unit, x: &Reg) -> Reg {
    root_of(unit, x, false)
}

/// `sqrt_tile<true>`: without regard to zeros and negative numbers.
pub(crate) fn sqrt_fast(unit: Unit, x: &Reg) -> Reg {
    root_of(unit, x, true)
}

fn root_of(unit: Unit, x: &Reg, fast: bool) -> Reg {
    let y = if unit.approx {
        let (_, c, t) = root_approx(unit, x);
        select(&equal(x, INFINITY), &c, &unit.mul(&c, &t))
    } else {
        let (y, xy, error) = root(unit, x);
        let half = unit.mul(0.5, &xy);
        let refined = unit.mad(&error, &half, &xy);
        // The comparison of integers is the sign of the wrapping difference; infinity is one after the first step already.
        select(&greater(0, &int_sub(x, INFINITY)), &refined, &y)
    };
    if fast {
        return unit.store_rounded(&y);
    }
    // Zeros are themselves, negative numbers give NaN.
    let zero = equal(&int_add(x, x), 0);
    unit.store_rounded(&select(&zero, x, &select(&greater(0, x), NAN, &y)))
}

/// `rsqrt_tile`: the same steps.
pub(crate) fn rsqrt(unit: Unit, x: &Reg) -> Reg {
    reciprocal_root(unit, x, false)
}

/// `rsqrt_tile<RsqrtMode::Fast>`: without regard to negative numbers.
pub(crate) fn rsqrt_fast(unit: Unit, x: &Reg) -> Reg {
    reciprocal_root(unit, x, true)
}

fn reciprocal_root(unit: Unit, x: &Reg, fast: bool) -> Reg {
    let refined = if unit.approx {
        let (y, _, t) = root_approx(unit, x);
        unit.mul(&y, &t)
    } else {
        let (y, _, error) = root(unit, x);
        unit.mad(&error, &add_exponent(&y, !0), &y)
    };
    // 0 for infinity, and the infinity of the same sign for zero.
    let ends = int_sub(INFINITY, x);
    let outside = or(&equal(&ends, 0), &equal(&int_add(x, x), 0));
    let inside = if fast { refined } else { select(&greater(0, x), NAN, &refined) };
    unit.store_rounded(&select(&outside, &ends, &inside))
}

/// y near 1 / sqrt(x), x * y, and 1 - x * y * y.
pub(super) fn root(unit: Unit, x: &Reg) -> (Reg, Reg, Reg) {
    let y = int_sub(0x5F11_10A0, &shift_right_1(x));
    let xy = unit.mul(x, &y);
    let c = unit.mul(&neg(&y), &xy);
    let inner = unit.add(2.253_304_9, &c);
    let y = unit.mul(&y, &unit.mad(&c, &inner, 2.282_518_6));
    let xy = unit.mul(x, &y);
    let error = unit.mad(&neg(&y), &xy, 1.0);
    (y, xy, error)
}

/// A guess y of 1 / sqrt(x), x * y, and the factor that improves it.
fn root_approx(unit: Unit, x: &Reg) -> (Reg, Reg, Reg) {
    let y = int_sub(0x5F0B_3892, &shift_right_1(x));
    let c = unit.mul(x, &y);
    let t = unit.mad(&neg(&y), &c, 1.890_990_148_75);
    (y, c, t)
}

/// `cbrt_tile`: the magic constant of Moroz et al. (2021), and one step more with 32-bit registers.
pub(crate) fn cbrt(unit: Unit, a: &Reg) -> Reg {
    const THIRD_256: f32 = -1.0 / 3.0 / 256.0;
    const MAGIC: f32 = 1_418_472_267.0 / 256.0 + 8_388_608.0;
    let (c0, c1, c2) = (1.7523197, -1.2509525, 0.50938183);
    let x = float_abs(a);
    let f = unit.mad(&magnitude_to_float(&x), THIRD_256, MAGIC);
    let y = shift_left_8(&f);
    if unit.fp32 {
        let square = unit.mul(&y, &y);
        let c = unit.mul(&unit.mul(&x, &y), &square);
        let inner = unit.mad(c2, &c, c1);
        let y = unit.mul(&y, &unit.mad(&c, &inner, c0));
        let d = unit.mul(&x, &unit.mul(&y, &y));
        let c = unit.mad(&d, &y, -1.0);
        let t = unit.mad(&c, THIRD_256 * 256.0, 1.0);
        unit.store(&unit.mul(&copy_sign(&d, a), &unit.mul(&t, &t)))
    } else {
        let d = unit.mul(&x, &unit.mul(&y, &y));
        let c = unit.mul(&d, &y);
        let inner = unit.mad(c2, &c, c1);
        let t = unit.mad(&c, &inner, c0);
        unit.store_rounded(&unit.mul(&copy_sign(&d, a), &unit.mul(&t, &t)))
    }
}

/// `recip_tile`.
pub(crate) fn recip(unit: Unit, x: &Reg) -> Reg {
    if unit.approx {
        return unit.store(&reciprocal_approx(unit, x));
    }
    if unit.wormhole {
        let y = if unit.fp32 { newton(unit, x, SEED, 2, false) } else { newton(unit, x, SEED_BF16, 1, true) };
        return unit.store(&y);
    }
    let y = approximate_reciprocal(x);
    if unit.fp32 {
        let e = unit.mad(&neg(x), &y, 1.0);
        let t = unit.mad(&e, &e, &e);
        let t = min(&unit.mad(&t, &e, &e), 1.0);
        unit.store(&unit.mad(&t, &y, &y))
    } else {
        // The upper half of the error's bits, added as an integer, corrects the last bit.
        let x = unit.mad(0, 0, x);
        let y = or(&y, 0x8000);
        let e = unit.mad(&x, &y, -1.0);
        unit.store(&int_add(&y, &shift_right_16(&e)))
    }
}

/// 1/x in approximate mode.
pub(super) fn reciprocal_approx(unit: Unit, x: &Reg) -> Reg {
    if unit.wormhole { newton(unit, x, SEED, 1, false) } else { approximate_reciprocal(x) }
}

/// 1/x with one step of Newton's method, within other operations.
pub(super) fn reciprocal_1(unit: Unit, x: &Reg) -> Reg {
    if unit.wormhole {
        return newton(unit, x, SEED, 1, false);
    }
    let y = approximate_reciprocal(x);
    let t = unit.mad(x, &y, -2.0);
    select(&greater(0, &t), &unit.mad(&y, &neg(&t), -0.0), &y)
}

/// 1/x within other operations: to full precision, or in approximate mode.
pub(super) fn reciprocal_by_mode(unit: Unit, x: &Reg) -> Reg {
    if unit.approx { reciprocal_approx(unit, x) } else { reciprocal(unit, x) }
}

/// 1/x to full precision within other operations.
pub(super) fn reciprocal(unit: Unit, x: &Reg) -> Reg {
    if unit.wormhole {
        return newton(unit, x, SEED, 2, false);
    }
    let y = approximate_reciprocal(x);
    // t is negative unless it is NaN; then the first step stays.
    let t = unit.mad(x, &y, -2.0);
    let y1 = unit.mad(&y, &neg(&t), -0.0);
    let t1 = unit.mad(x, &y1, -2.0);
    select(&greater(0, &t), &unit.mad(&y1, &neg(&t1), -0.0), &y)
}

/// 1/x for a significand with sign, with one step of Newton's method.
pub(super) fn reciprocal_normalized(unit: Unit, x: &Reg) -> Reg {
    if unit.wormhole {
        let minus_x = or(x, SIGN);
        let y = unit.mad(SEED[0], &minus_x, SEED[1]);
        let y = unit.mad(&y, &minus_x, SEED[2]);
        let t = unit.mad(&minus_x, &y, 1.0);
        return copy_sign(&unit.mad(&y, &t, &y), x);
    }
    let y = approximate_reciprocal(x);
    let t = unit.mad(x, &y, -2.0);
    unit.mad(&y, &neg(&t), -0.0)
}

/// Wormhole's reciprocal of either sign as -1/x: the sign stays that of the guess.
pub(super) fn newton_1(unit: Unit, x: &Reg) -> Reg {
    let minus_x = or(&and(x, MANTISSA), -1.0);
    let y = unit.mad(SEED[0], &minus_x, SEED[1]);
    let y = unit.mad(&y, &minus_x, SEED[2]);
    let e = unit.mad(&minus_x, &y, 1.0);
    let y = unit.mad(&y, &e, &y);
    unit.mul(&y, &unit.mul(&and(&not(x), SIGN | INFINITY), 0.5))
}

/// Coefficients of the quadratic that Wormhole starts Newton's method from.
const SEED: [f32; 3] = [0.323_232_501_745_223_94, 1.454_545_974_731_445_3, 2.121_212_482_452_392_6];
const SEED_BF16: [f32; 3] = [0.321_334_004_402_160_6, 1.451_414_823_532_104_5, 2.120_088_338_851_928_7];

/// Newton's method on the mantissa, then the exponent.
fn newton(unit: Unit, x: &Reg, seed: [f32; 3], steps: u32, round: bool) -> Reg {
    let minus_x = or(&and(x, MANTISSA), -1.0);
    let y = unit.mad(seed[0], &minus_x, seed[1]);
    let mut y = unit.mad(&y, &minus_x, seed[2]);
    for _ in 0..steps {
        let t = unit.mad(&minus_x, &y, 1.0);
        y = unit.mad(&y, &t, &y);
    }
    if round {
        y = round_bf16(&y);
    }
    // 255 minus the exponent, halved; both ends come out as infinity and zero.
    let scale = unit.mul(&and(&not(x), SIGN | INFINITY), 0.5);
    copy_sign(&unit.mul(&y, &scale), x)
}

/// Square root in some other operations, from a coarser guess; other than positive numbers stay as they are.
pub(super) fn sqrt_inner(unit: Unit, x: &Reg) -> Reg {
    let mut y = int_sub(0x5F37_0000, &shift_right_1(x));
    let minus_half = unit.mul(-0.5, x);
    for _ in 0..2 {
        let square = unit.mul(&y, &y);
        y = unit.mul(&unit.mad(&square, &minus_half, 1.5), &y);
    }
    let regular = and(&not(&equal(x, 0)), &greater(255, &exponent(x)));
    select(&regular, &unit.mul(&y, x), x)
}
