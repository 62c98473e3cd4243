//! The operations: from the value loaded from a tile register to what the register then holds.

// Coefficients have the digits by which they are published.
#![allow(clippy::excessive_precision)]

use super::steps::{
    INFINITY, MANTISSA, NAN, Reg, SIGN, Unit, and, any_unset, approximate_reciprocal, copy_sign, equal, exponent,
    greater, int_add, int_sub, int_to_float, max, min, neg, not, or, round_bf16, round_bf16_even, select, set_exponent,
    shift_right_1, shift_right_16, shift_right_23, shifted_significand, to_int16, xor,
};

const INV_LN2: f32 = std::f32::consts::LOG2_E;

/// `exp_tile`: 2^x with the integer part by exponent and the rest by a polynomial.
pub(super) fn exp(unit: Unit, x: &Reg) -> Reg {
    if unit.fp32 { exp_32(unit, x) } else { exp_16(unit, x) }
}

/// The algorithm `exp_21f` of Moroz et al. (2022), rounded to bf16.
fn exp_16(unit: Unit, x: &Reg) -> Reg {
    let mut log2 = unit.mad(x, INV_LN2, 127.0);
    if unit.wormhole {
        log2 = max(&log2, 0);
    }
    log2 = min(&log2, 255.0);
    let mut power = shifted_significand(&log2);
    let fraction = int_to_float(&and(&power, MANTISSA));
    let sum = unit.mad(&fraction, 4.791_750_143_340_323e-15, 7.839_635_491_371_155e-8);
    let sum = unit.mad(&sum, &fraction, 1.001_953_1);
    if !unit.wormhole {
        power = and(&power, &super::steps::above(&log2, 0));
    }
    unit.store(&round_bf16(&set_exponent(&sum, &shift_right_23(&power))))
}

/// A polynomial of degree 6 after a reduction in two steps, by N. Juffa.
fn exp_32(unit: Unit, x: &Reg) -> Reg {
    let whole = to_int16(&unit.mul(INV_LN2, x));
    let rounded = int_to_float(&whole);
    let rest = unit.mad(&rounded, -0.693_145_75, x);
    let rest = unit.mad(&rounded, -1.428_606_8e-6, &rest);
    let mut sum = unit.mad(1.378_059_4e-3, &rest, 8.373_124_5e-3);
    for c in [4.166_953_6e-2, 1.666_647_2e-1, 4.999_998_5e-1, 1.0] {
        sum = unit.mad(&sum, &rest, c);
    }
    let value = unit.mad(&sum, &rest, 1.0);
    let field = int_add(&exponent(&value), &whole);
    let scaled = set_exponent(&value, &field);
    let (positive, finite) = (greater(&field, 0), greater(255, &field));
    let result = if unit.wormhole {
        // 0, or NaN if the input was: a NaN has the mantissa 1 here, and minus 1 it is an infinity.
        let zero_or_nan = unit.mul(&int_sub(&sum, 1), 0);
        let mut value = scaled;
        if any_unset(&finite) {
            value = select(&finite, &scaled, &unit.add(&zero_or_nan, INFINITY));
        }
        select(&positive, &value, &zero_or_nan)
    } else {
        let value = and(&scaled, &positive);
        if any_unset(&finite) { select(&finite, &value, &unit.mul(&sum, INFINITY)) } else { value }
    };
    unit.store(&result)
}

/// `relu_tile`.
pub(super) fn relu(unit: Unit, x: &Reg) -> Reg {
    if unit.wormhole {
        unit.store(&max(x, 0))
    } else {
        // Only negative lanes are stored.
        and(x, &greater(x, !0))
    }
}

const GELU_LIMIT: f32 = -5.542_594_4;

/// `gelu_tile<false>`.
pub(super) fn gelu(unit: Unit, x: &Reg) -> Reg {
    if unit.fp32 { gelu_32(unit, x) } else { gelu_16(unit, x) }
}

/// Three regions: the identity, a polynomial, and x * exp(-x^2 / 2) * polynomial.
fn gelu_16(unit: Unit, x: &Reg) -> Reg {
    let square = unit.mul(x, x);
    let log2 = unit.mad(&square, -0.721_347_5, 127.0);
    let power = shifted_significand(&log2);
    let fraction = int_to_float(&and(&power, MANTISSA));
    let fraction = unit.polynomial(&fraction, &[1.001_724_8, 7.839_635_491_371_155e-8, 4.791_750_143_340_323e-15]);
    let exp = set_exponent(&fraction, &shift_right_23(&power));
    let tail = unit.polynomial(x, &[3.036_999_1e-1, 9.541_338_7e-2, 1.380_998_36e-2, 7.595_048e-4]);
    // Adding and subtracting 0.375 rounds to multiples of 2^-25.
    let grid = unit.add(&unit.mad(&exp, &tail, 0.375), -0.375);
    let tail = unit.mul(x, &grid);

    let odd = unit.polynomial(
        &square,
        &[
            3.989_422_782e-1,
            -6.636_104_148_8e-2,
            9.772_005_061_5e-3,
            -1.071_780_632_2e-3,
            8.181_215_981_2e-5,
            -3.808_205_720_9e-6,
            7.982_141_386_8e-8,
        ],
    );
    let core = unit.mul(x, &unit.mad(x, &odd, 0.5));

    let outer = unit.exceeds(x, GELU_LIMIT, false);
    let in_core = and(&outer, &unit.exceeds(x, -3.125, true));
    let identity = and(&in_core, &unit.exceeds(x, 2.781_25, true));
    let result = select(&in_core, &core, &and(&tail, &outer));
    unit.store(&round_bf16(&select(&identity, x, &result)))
}

/// x * (1 + erf(x / sqrt 2)) / 2 with a rational error function.
fn gelu_32(unit: Unit, x: &Reg) -> Reg {
    let scaled = min(&unit.mul(x, std::f32::consts::FRAC_1_SQRT_2), 10.0);
    let square = unit.mul(&scaled, &scaled);
    let upper = unit.polynomial(
        &square,
        &[
            1.128_379_106_5,
            2.147_743_254_9e-1,
            6.213_343_516e-2,
            5.623_043_514_8e-3,
            6.130_704_423_4e-4,
            1.767_832_145_6e-5,
            2.738_464_743_9e-8,
            -2.863_206_338_7e-10,
        ],
    );
    let lower = unit.polynomial(
        &square,
        &[
            1.0,
            5.236_727_595_3e-1,
            1.296_170_651_9e-1,
            1.964_257_098_7e-2,
            1.954_555_511_5e-3,
            1.317_905_698_7e-4,
            1.315_634_449_4e-6,
            -3.515_388_868_9e-9,
            -6.735_072_519_1e-12,
        ],
    );
    let erf = unit.mul(&unit.mul(&upper, &scaled), &reciprocal(unit, &lower));
    let erf = min(&max(&erf, -1.0), 1.0);
    let value = unit.mul(x, &unit.mad(0.5, &erf, 0.5));
    let stuck = unit.mul(x, 2.980_232_238_769_531_3e-8);
    let value = select(&equal(&erf, -1.0), &stuck, &value);
    let outside = unit.sub(x, x);
    unit.store(&select(&unit.exceeds(x, GELU_LIMIT, false), &value, &outside))
}

/// `sqrt_tile`: two steps from an integer guess (Kokosinski et al. 2024).
pub(super) fn sqrt(unit: Unit, x: &Reg) -> Reg {
    let y = int_sub(0x5F11_10A0, &shift_right_1(x));
    let xy = unit.mul(x, &y);
    let c = unit.mul(&neg(&y), &xy);
    let inner = unit.add(2.253_304_9, &c);
    let y = unit.mul(&y, &unit.mad(&c, &inner, 2.282_518_6));
    let xy = unit.mul(x, &y);
    let error = unit.mad(&neg(&y), &xy, 1.0);
    let half = unit.mul(0.5, &xy);
    let refined = unit.mad(&error, &half, &xy);
    // The comparison of integers is the sign of the wrapping difference.
    let below = greater(0, &int_sub(x, INFINITY));
    finish_sqrt(unit, x, &select(&below, &refined, &xy))
}

/// `sqrt_tile` in approximate mode: one step.
pub(super) fn sqrt_approx(unit: Unit, x: &Reg) -> Reg {
    let y = int_sub(0x5F0B_3892, &shift_right_1(x));
    let c = unit.mul(x, &y);
    let refined = unit.mul(&c, &unit.mad(&neg(&y), &c, 1.890_990_148_75));
    finish_sqrt(unit, x, &select(&equal(x, INFINITY), &c, &refined))
}

/// Zeros are themselves, negative numbers give NaN.
fn finish_sqrt(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let zero = equal(&int_add(x, x), 0);
    let y = select(&zero, x, &select(&greater(0, x), NAN, y));
    unit.store(&if unit.fp32 { y } else { round_bf16(&y) })
}

/// `recip_tile`.
pub(super) fn recip(unit: Unit, x: &Reg) -> Reg {
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

/// `recip_tile` in approximate mode.
pub(super) fn recip_approx(unit: Unit, x: &Reg) -> Reg {
    unit.store(&if unit.wormhole { newton(unit, x, SEED, 1, false) } else { approximate_reciprocal(x) })
}

/// 1/x to full precision within other operations.
fn reciprocal(unit: Unit, x: &Reg) -> Reg {
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

/// `add_binary_tile`.
pub(super) fn add(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store(&unit.add(x, y))
}

/// `sub_binary_tile`.
pub(super) fn sub(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store(&unit.sub(x, y))
}

/// `mul_binary_tile`. With 16-bit registers +0 times anything is 0.
pub(super) fn mul(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let product = unit.mul(x, y);
    if unit.fp32 {
        return unit.store(&product);
    }
    let absent = or(&equal(x, 0), &equal(y, 0));
    unit.store(&and(&round_bf16_even(&product), &xor(&absent, !0)))
}
