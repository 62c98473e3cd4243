//! Powers of e and 2, and what is made of them.

use super::super::integers::*;
use super::super::steps::*;
use super::power::{reciprocal, reciprocal_1};
use super::special::ERF;

const INV_LN2: f32 = std::f32::consts::LOG2_E;

/// `exp_tile`: 2^x with the integer part by exponent and the rest by a polynomial.
pub(crate) fn exp(unit: Unit, x: &Reg) -> Reg {
    if unit.fp32 { unit.store(&exp_32(unit, x)) } else { exp_16(unit, x) }
}

/// `exp_tile<false, true>`: of x times a bf16 number.
pub(crate) fn exp_scaled(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    exp(unit, &unit.mul(p[0] << 16, x))
}

/// 256 / ln(2), and 127 * 256 with a correction of the straight line between powers of two.
const FAST_SLOPE: f32 = 256.0 * std::f32::consts::LOG2_E;
const FAST_OFFSET: f32 = 32_500.818;

/// `exp_tile<true>`: the bits of the result are linear in x.
pub(crate) fn exp_fast(unit: Unit, x: &Reg) -> Reg {
    let x = max(x, -88.5);
    let bits = unit.mad(FAST_SLOPE, &x, FAST_OFFSET);
    unit.store(&shift_left(&to_uint16(&bits), 15))
}

/// `exp_tile<true, false, InputClamping::None>`.
pub(crate) fn exp_fast_unclamped(unit: Unit, x: &Reg) -> Reg {
    let bits = to_smag16(&unit.mad(FAST_SLOPE, x, FAST_OFFSET));
    unit.store(&copy_sign(&shift_left(&bits, 15), &bits))
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
        power = and(&power, &above(&log2, 0));
    }
    unit.store(&round_bf16(&set_exponent(&sum, &shift_right_23(&power))))
}

/// A polynomial of degree 6 after a reduction in two steps, by N. Juffa.
pub(super) fn exp_32(unit: Unit, x: &Reg) -> Reg {
    let parts = exp_32_core(unit, x);
    let field = int_add(&exponent(&parts.value), &parts.power);
    let scaled = set_exponent(&parts.value, &field);
    let (positive, finite) = (greater(&field, 0), greater(255, &field));
    if unit.wormhole {
        // 0, or NaN if the input was: a NaN has the mantissa 1 here, and minus 1 it is an infinity.
        let zero_or_nan = unit.mul(&int_sub(&parts.sum, 1), 0);
        let mut value = scaled;
        if any_unset(&finite) {
            value = select(&finite, &scaled, &unit.add(&zero_or_nan, INFINITY));
        }
        select(&positive, &value, &zero_or_nan)
    } else {
        let value = and(&scaled, &positive);
        if any_unset(&finite) { select(&finite, &value, &unit.mul(&parts.sum, INFINITY)) } else { value }
    }
}

/// e^x as value times 2^power, and the polynomial before its last step, which is NaN if x is.
pub(super) struct ExpParts {
    sum: Reg,
    value: Reg,
    power: Reg,
}

impl ExpParts {
    /// The product where it is a normal number.
    pub(super) fn scaled(&self) -> Reg {
        set_exponent(&self.value, &int_add(&exponent(&self.value), &self.power))
    }
}

pub(super) fn exp_32_core(unit: Unit, x: &Reg) -> ExpParts {
    let power = to_int16(&unit.mul(INV_LN2, x));
    let rounded = int_to_float(&power);
    let rest = unit.mad(&rounded, -0.693_145_75, x);
    let rest = unit.mad(&rounded, -1.428_606_8e-6, &rest);
    let mut sum = unit.mad(1.378_059_4e-3, &rest, 8.373_124_5e-3);
    for c in [4.166_953_6e-2, 1.666_647_2e-1, 4.999_998_5e-1, 1.0] {
        sum = unit.mad(&sum, &rest, c);
    }
    let value = unit.mad(&sum, &rest, 1.0);
    ExpParts { sum, value, power }
}

const GELU_LIMIT: f32 = -5.542_594_4;

/// `gelu_tile<false>`.
pub(crate) fn gelu(unit: Unit, x: &Reg) -> Reg {
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
    let (upper, lower) = (unit.polynomial(&square, &ERF.0), unit.polynomial(&square, &ERF.1));
    let erf = unit.mul(&unit.mul(&upper, &scaled), &reciprocal(unit, &lower));
    let erf = min(&max(&erf, -1.0), 1.0);
    let value = unit.mul(x, &unit.mad(0.5, &erf, 0.5));
    let stuck = unit.mul(x, 2.980_232_238_769_531_3e-8);
    let value = select(&equal(&erf, -1.0), &stuck, &value);
    let outside = unit.sub(x, x);
    unit.store(&select(&unit.exceeds(x, GELU_LIMIT, false), &value, &outside))
}

/// e^x between other steps of 16-bit operations: not rounded, the same on both chips.
pub(super) fn exp_21f(unit: Unit, x: &Reg) -> Reg {
    power_of_two(unit, &unit.mad(x, INV_LN2, 127.0))
}

/// 2^(x - 127) for x in 0..=255, to 21 bits.
pub(super) fn power_of_two(unit: Unit, x: &Reg) -> Reg {
    let power = shifted_significand(&min(&max(x, 0), 255.0));
    let fraction = int_to_float(&and(&power, MANTISSA));
    let fraction = unit.polynomial(&fraction, &[1.001_724_8, 7.839_635_491_371_155e-8, 4.791_750_143_340_323e-15]);
    set_exponent(&fraction, &shift_right_23(&power))
}

/// 1 / (1 + e^-x), not rounded.
fn logistic(unit: Unit, x: &Reg) -> Reg {
    let minus_x = neg(x);
    if unit.fp32 {
        reciprocal(unit, &unit.add(&exp_32(unit, &minus_x), 1.0))
    } else {
        reciprocal_1(unit, &unit.add(&exp_21f(unit, &minus_x), 1.0))
    }
}

/// `sigmoid_tile`.
pub(crate) fn sigmoid(unit: Unit, x: &Reg) -> Reg {
    unit.store_rounded(&logistic(unit, x))
}

/// `silu_tile`.
pub(crate) fn silu(unit: Unit, x: &Reg) -> Reg {
    unit.store_rounded(&unit.mul(x, &logistic(unit, x)))
}

/// `exp2_tile`.
pub(crate) fn exp2(unit: Unit, x: &Reg) -> Reg {
    if unit.fp32 { unit.store(&exp2_32(unit, x)) } else { unit.store_rounded(&power_of_two(unit, &unit.add(x, 127.0))) }
}

/// A polynomial on -1/2..1/2, then the exponent.
fn exp2_32(unit: Unit, x: &Reg) -> Reg {
    let whole = to_int16(x);
    let f = unit.sub(x, &int_to_float(&whole));
    let y = unit.polynomial(&f, &[0.05550377, 0.0096206665, 0.0013399124, 1.5342236e-4]);
    let mut r = unit.mad(&y, &f, 0.24022603);
    for c in [0.693_147_12, 1.0] {
        r = unit.mad(&r, &f, c);
    }
    // Infinity or NaN.
    let special = unit.mul(&y, INFINITY);
    let field = int_add(&exponent(&r), &whole);
    let value = and(&set_exponent(&r, &field), &greater(&field, 0));
    let number = and(&greater(255, &field), &not(&greater(0, &float_abs(x))));
    select(&number, &value, &special)
}

/// Added, it rounds to an integer in the low bits.
pub(super) const ROUNDING: f32 = 12_582_912.0;

/// `expm1_tile`.
pub(crate) fn expm1(unit: Unit, a: &Reg) -> Reg {
    let bits = unit.mad(1.442_695, a, ROUNDING);
    let j = unit.add(-ROUNDING, &bits);
    unit.store_rounded(&if unit.fp32 { expm1_32(unit, a, &bits, &j) } else { expm1_16(unit, a, &bits, &j) })
}

/// `expm1_tile<true>`: the same.
pub(crate) fn expm1_fast(unit: Unit, a: &Reg) -> Reg {
    expm1(unit, a)
}

/// r scaled by half a power of two, then doubled; `bits` and `j` hold the power as integer and as float.
fn expm1_16(unit: Unit, a: &Reg, bits: &Reg, j: &Reg) -> Reg {
    let f = unit.mad(j, -0.693_147_180_559_945_3, a);
    let s = unit.mul(&f, &f);
    let r = unit.polynomial(&f, &[0.5, 1.666_259_766e-1, 4.177_856_445e-2, 8.361_816_406e-3]);
    let r = unit.mad(&r, &s, &f);
    let jm2 = unit.add(j, -2.0);
    let scale = int_add(&shift_left_23(bits), 0.5);
    let scaled = unit.mad(&scale, &r, &unit.add(-0.5, &scale));
    let scaled = expm1_ends(unit, &jm2, &scaled);
    select(&equal(j, 0), &r, &unit.mul(&scaled, 2.0))
}

fn expm1_32(unit: Unit, a: &Reg, bits: &Reg, j: &Reg) -> Reg {
    let f = unit.mad(j, -0.693_145_752, a);
    let f = unit.mad(j, -1.428_606_77e-6, &f);
    let s = unit.mul(&f, &f);
    let mut r = unit.mad(1.974_105_835e-4, &f, 1.393_107_930e-3);
    for c in [8.333_439_939e-3, 4.166_680_202e-2, 1.666_667_163e-1] {
        r = unit.mad(&r, &f, c);
    }
    // The number below 1/2.
    let r = unit.mad(&r, &f, 0x3EFF_FFFF);
    let jm1 = unit.add(j, -1.0);
    let is_one = equal(&jm1, 0);
    let u = select(&is_one, &unit.add(&f, 0.5), &f);
    let r = unit.mad(&r, &s, &u);
    let t = int_add(&shift_left_23(bits), 0.5);
    let y = unit.add(-0.5, &t);
    let x = unit.add(-0.5, &unit.sub(&t, &y));
    let scaled = unit.add(&unit.mad(&r, &t, &x), &y);
    let scaled = expm1_ends(unit, &unit.add(&jm1, -1.0), &scaled);
    let scaled = select(&is_one, &r, &scaled);
    select(&equal(j, 0), &r, &unit.mul(&scaled, 2.0))
}

/// Half of minus one far below, infinity or NaN far above.
fn expm1_ends(unit: Unit, jm2: &Reg, scaled: &Reg) -> Reg {
    let outside = not(&above(126.5, &float_abs(jm2)));
    let end = select(&greater(0, jm2), -0.5, &unit.mul(jm2, INFINITY));
    select(&outside, &end, scaled)
}

/// `tanh_tile`.
pub(crate) fn tanh(unit: Unit, x: &Reg) -> Reg {
    if unit.fp32 {
        return unit.store(&tanh_32(unit, x));
    }
    let size = float_abs(x);
    let value = unit.polynomial(
        &size,
        &[
            0.0,
            0.999_004_364_013_671_875,
            3.089_743_852_615_356_445e-2,
            -0.489_065_974_950_790_405,
            0.281_917_631_626_129_150,
            -6.664_901_971_817_016_6e-2,
            5.876_733_921_468_257_9e-3,
        ],
    );
    unit.store_rounded(&copy_sign(&min(&value, 1.0), x))
}

/// t / (t + 1) with t = expm1(2 |x|) / 2.
pub(super) fn tanh_32(unit: Unit, x: &Reg) -> Reg {
    let a = and(&unit.add(x, x), MAGNITUDE);
    let i = to_uint8(&unit.mul(x, 2.0 * 1.442_695));
    let f = unit.mad(&int_to_float(&i), -0.693_147_180_559_945_3, &a);
    let s = unit.mul(&f, &f);
    let r = unit.polynomial(
        &f,
        &[0.5, 1.666_667_163e-1, 4.166_680_202e-2, 8.331_298_828e-3, 1.393_318_176e-3, 1.974_105_835e-4],
    );
    let r = unit.mad(&r, &s, &f);
    let scale = set_exponent(0, &int_add(&i, 126));
    let x0 = unit.mad(&r, &scale, &unit.add(-0.5, &scale));
    let x1 = unit.add(&x0, 1.0);
    // 1, or NaN.
    let far = unit.mad(&int_sub(&a, 1), 0, 1.0);
    let quotient = if unit.wormhole {
        // The reciprocal is a negative one here.
        let y = int_sub(0xFEF3_0000, &x1);
        let t = unit.mad(&x1, &y, 1.0);
        let t = unit.mad(&t, &t, &t);
        let y = unit.mad(&y, &t, &y);
        let y0 = unit.mul(&x0, &y);
        unit.mad(&unit.mad(&x1, &y0, &x0), &y, &y0)
    } else {
        let y = approximate_reciprocal(&x1);
        let t = unit.mad(&neg(&x1), &y, 1.0);
        let y = unit.mad(&y, &t, &y);
        let y0 = unit.mul(&x0, &y);
        unit.mad(&unit.mad(&neg(&x1), &y0, &x0), &y, &y0)
    };
    let near = select(&greater(115, &exponent(x)), x, &quotient);
    copy_sign(&select(&greater(61, &i), &near, &far), x)
}
