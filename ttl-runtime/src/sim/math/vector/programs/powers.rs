//! General powers: exp2(y * log2(x)).

use super::super::integers::*;
use super::super::steps::*;
use super::exponential::exp_32;

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// The last place is one less.
const LOG2_E_BELOW: f32 = 1.442695;
const SQRT_2: f32 = 1.414_213_538_169_860_8;

/// `power_tile`.
pub(crate) fn power(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let y = splat(p[0]);
    let log2 = if unit.fp32 { Log::Long } else { Log::Short };
    let size = match log2 {
        Log::Short => power_16(unit, x, &float_abs(x), &y, LOG2_E),
        Log::Long => {
            let (high, low) = exponent_parts(unit, x, &y, LOG2_E, UNARY_SEED, true);
            exp2_parts(unit, &high, &low)
        }
    };
    let odd = to_smag16(&y);
    let signed = copy_sign(&size, &shift_left_31(&odd));
    let whole = equal(&magnitude_to_float(&odd), &y);
    let value = select(&is_negative(x), &select(&whole, &signed, NAN), &size);
    let zero = equal(&float_abs(x), 0);
    let value = if f32::from_bits(p[0]) >= 0.0 {
        let zero = and(&zero, &unit.gt(&y, 0));
        and(&value, &not(&zero))
    } else {
        select(&zero, NAN, &value)
    };
    unit.store_rounded(&value)
}

/// How the logarithm is found.
enum Log {
    Short,
    Long,
}

/// `power_binary_tile`.
pub(crate) fn power_binary(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    if unit.fp32 { unit.store(&power_binary_32(unit, x, y)) } else { power_binary_16(unit, x, y) }
}

/// `rpow_tile`: the base is given.
pub(crate) fn rpow(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    power_binary(unit, &splat(p[0]), x)
}

fn power_binary_16(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let a = abs_bits(x);
    let size = power_16(unit, x, &a, y, LOG2_E_BELOW);
    let odd = to_smag16(y);
    let signed = copy_sign(&size, &shift_left_31(&odd));
    let whole = equal(&magnitude_to_float(&odd), y);
    let value = select(&is_negative(x), &select(&whole, &signed, NAN), &size);
    let of_zero = and(&is_negative(y), NAN);
    let value = select(&and(&equal(&a, 0), &not(&equal(y, 0))), &of_zero, &value);
    unit.store(&round_bf16(&value))
}

/// A cubic for the logarithm and the algorithm `exp_21f` of Moroz et al. (2022) in integers.
fn power_16(unit: Unit, x: &Reg, a: &Reg, y: &Reg, log2_e: f32) -> Reg {
    let m = set_exponent(a, 127);
    let series = unit.polynomial(
        &m,
        &[-1.582_665_562_629_699_7, 2.309_868_335_723_877, -0.868_914_246_559_143_1, 0.141_711_473_464_965_82],
    );
    let log2 = unit.mad(&series, log2_e, &int_to_float(&power_of(x)));
    let z = unit.mul(y, &log2);
    let z = select(&unit.lt(&z, &splat((-127f32).to_bits())), -127.0, &z);
    // 127 units of the exponent field.
    let z = to_int_positive(&unit.add(&add_exponent(&z, 23), 1_065_353_216.0));
    let fraction = and(&z, MANTISSA);
    let upper = magnitude_to_float(&int_add(&fraction, 0xF94EE7));
    let lower = magnitude_to_float(&int_add(&fraction, 0x560E));
    let mantissa = to_int_positive(&unit.mul(&unit.mul(0.401_961_14e-7, &upper), &lower));
    set_exponent(&mantissa, &int_add(&power_of(&z), 127))
}

/// The line that starts the reciprocal of 1 + m.
const UNARY_SEED: [f32; 2] = [1.003, -0.244];
const BINARY_SEED: [f32; 2] = [1.0, -0.242_640_687_119_285_1];

/// y * log2(x) in two parts: the logarithm of m by atanh((m - 1) / (m + 1)).
fn exponent_parts(unit: Unit, x: &Reg, y: &Reg, log2_e: f32, seed: [f32; 2], by_exponent: bool) -> (Reg, Reg) {
    let a = float_abs(x);
    let m = set_exponent(&a, 127);
    let large = unit.ge(&m, SQRT_2);
    let half = if by_exponent { add_exponent(&m, !0) } else { unit.mul(&m, 0.5) };
    let m = select(&large, &half, &m);
    let e = int_sub(&power_of(&a), &large);

    let above = unit.add(&m, 1.0);
    let mut r = unit.sub_product(seed[0], &splat((-seed[1]).to_bits()), &above);
    for _ in 0..3 {
        r = unit.mul(&r, &unit.sub_product(2.0, &above, &r));
    }
    let z = unit.mul(&unit.add(&m, -1.0), &r);
    let series = unit.polynomial(&unit.mul(&z, &z), &[1.0, 1.0 / 3.0, 0.2, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0]);
    let ln = unit.mul(2.0, &unit.mul(&z, &series));

    // y in two parts, of which the upper times the exponent is exact.
    let e = int_to_float(&e);
    let c = unit.mul(y, 4097.0);
    let y_high = unit.sub(&c, &unit.sub(&c, y));
    let y_low = unit.sub(y, &y_high);
    let high = unit.mul(&y_high, &e);
    let low = unit.mad(&y_low, &e, &unit.mul(y, &unit.mul(&ln, log2_e)));
    (high, low)
}

/// The nearest integer as a float and as an integer.
pub(super) fn nearest(unit: Unit, x: &Reg) -> (Reg, Reg) {
    const ROUNDING: f32 = 12_582_912.0;
    let t = unit.add(x, ROUNDING);
    (unit.sub(&t, &splat(ROUNDING.to_bits())), int_sub(&t, ROUNDING))
}

/// 1/n! for n up to 7.
pub(super) const EXP_SERIES: [f32; 8] = [1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0];

/// 2^(high + low).
fn exp2_parts(unit: Unit, high: &Reg, low: &Reg) -> Reg {
    let s = unit.add(high, low);
    let error = unit.sub(low, &unit.sub(&s, high));
    let s = max(&s, -126.999_99);
    let (k, power) = nearest(unit, &s);
    let f = unit.add(&unit.sub(&s, &k), &error);
    let r = unit.mad(&f, 0.693_359_375, &unit.mul(&f, -2.121_944_4e-4));
    let value = unit.polynomial(&r, &EXP_SERIES);
    let value = set_exponent(&value, &int_add(&exponent(&value), &power));
    select(&unit.ge(&s, 128.0), INFINITY, &value)
}

fn power_binary_32(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let (high, low) = exponent_parts(unit, x, y, LOG2_E_BELOW, BINARY_SEED, false);
    let s = unit.add(&high, &low);
    let error = unit.sub(&low, &unit.sub(&s, &high));
    let small = unit.lt(&s, &splat((-127f32).to_bits()));
    let s = select(&small, -127.0, &s);
    let error = and(&error, &not(&small));
    let (k, power) = nearest(unit, &s);
    let f = unit.add(&unit.sub(&s, &k), &error);
    let size = exp_32(unit, &unit.mul(&f, std::f32::consts::LN_2));
    let field = int_add(&exponent(&size), &power);
    let size = select(&is_negative(&int_sub(&field, 255)), &set_exponent(&size, &field), INFINITY);

    let a = float_abs(y);
    let odd = to_smag16(&a);
    let signed = copy_sign(&size, &shift_left_31(&odd));
    let whole = equal(&magnitude_to_float(&odd), &a);
    let value = select(&is_negative(x), &select(&whole, &signed, NAN), &size);
    // Of a zero only the sign that the value has counts.
    let of_zero = select(&is_negative(y), &copy_sign(INFINITY, &value), &copy_sign(0, &value));
    let of_zero = select(&equal(&a, 0), &value, &of_zero);
    let of_zero = select(&greater(&abs_bits(y), INFINITY), NAN, &of_zero);
    select(&equal(&float_abs(x), 0), &of_zero, &value)
}

/// `power_iterative_tile`: by squaring.
pub(crate) fn power_iterative(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    if p[0] == 0 {
        return unit.store(&splat(1f32.to_bits()));
    }
    let (mut result, mut square, mut left) = (*x, *x, p[0] - 1);
    while left > 0 {
        if left & 1 == 1 {
            result = unit.mul(&result, &square);
        }
        square = unit.mul(&square, &square);
        left >>= 1;
    }
    unit.store(&result)
}
