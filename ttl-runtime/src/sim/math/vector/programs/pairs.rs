//! Functions of two registers with longer algorithms.

use super::super::integers::*;
use super::super::steps::*;
use super::binary::flag;
use super::exponential::{exp_32, power_of_two};
use super::logarithm::ln_1p;
use super::power::{reciprocal, reciprocal_approx};
use super::simple::{floored, truncated};

const HALF_PI: f32 = std::f32::consts::FRAC_PI_2;

/// `atan2_binary_tile`: y, x.
pub(crate) fn atan2(unit: Unit, y: &Reg, x: &Reg) -> Reg {
    let (x_size, y_size) = (abs_bits(x), abs_bits(y));
    let (low, high) = (min(&x_size, &y_size), max(&x_size, &y_size));
    let coarse = unit.approx || !unit.fp32;
    let inverse = if coarse { reciprocal_approx(unit, &high) } else { reciprocal(unit, &high) };
    let a = unit.mul(&low, &inverse);
    let s = unit.mul(&a, &a);
    let q = if unit.fp32 {
        unit.polynomial(
            &s,
            &[
                -0.3333333730697632,
                0.1999884396791458,
                -0.142578125,
                0.10870361328125,
                -0.08026123046875,
                0.0491943359375,
                -0.0202484130859375,
                0.003932952880859375,
            ],
        )
    } else {
        unit.polynomial(&s, &[-0.33203125, 0.175048828125, -0.05841064453125])
    };
    let r = unit.mad(&unit.mul(&q, &s), &a, &a);
    let half_pi = splat(HALF_PI.to_bits());
    // Both as large, or both zero.
    let diagonal = and(&not(&equal(&high, 0)), HALF_PI / 2.0);
    let steep = select(&int_less(&low, &high), &unit.sub(&half_pi, &r), &diagonal);
    let r = select(&int_less(&low, &x_size), &r, &steep);
    let r = select(&is_negative(x), &unit.sub(&splat(std::f32::consts::PI.to_bits()), &r), &r);
    let r = copy_sign(&if unit.fp32 { r } else { round_bf16(&r) }, y);
    unit.store(&select(&int_less(INFINITY, &high), NAN, &r))
}

/// `xlogy_binary_tile`: x * ln(y). The logarithm is stored before it is multiplied.
pub(crate) fn xlogy(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let stored = unit.store(y);
    let m = set_exponent(&stored, 127);
    let series = unit.polynomial(&m, &[-1.492_776_12, 2.112_632_3, -0.729_104_21, 0.109_689_64]);
    let ln = unit.mad(&int_to_float(&power_of(&stored)), 0.693_147_18, &series);
    let ln = unit.store(&select(&equal(&stored, 0), SIGN | INFINITY, &ln));
    let outside = or(&is_negative(y), &equal(y, NAN));
    unit.store(&select(&outside, NAN, &unit.mul(&ln, x)))
}

/// The larger one, and the distance; with NaN or equal infinities the sum, and 0.
fn larger_and_gap(unit: Unit, a: &Reg, b: &Reg) -> (Reg, Reg) {
    let gap = float_abs(&unit.sub(a, b));
    let nan = greater(&abs_bits(&gap), INFINITY);
    (select(&nan, &unit.add(a, b), &max(a, b)), and(&gap, &not(&nan)))
}

/// ln(1 + y) for y in 0..=1, to 16 bits.
fn ln_1p_short(unit: Unit, y: &Reg) -> Reg {
    let r = unit.polynomial(y, &[-0.48878586292266846, 0.25713101029396057, -0.0751979872584343]);
    unit.mad(&r, &unit.mul(y, y), y)
}

/// `logaddexp_binary_tile`: ln(e^a + e^b).
pub(crate) fn logaddexp(unit: Unit, a: &Reg, b: &Reg) -> Reg {
    let (larger, gap) = larger_and_gap(unit, a, b);
    let rest = if unit.fp32 {
        ln_1p(unit, &exp_32(unit, &neg(&gap)))
    } else {
        let power = unit.mad(&neg(&min(&gap, 88.0)), std::f32::consts::LOG2_E, 127.0);
        ln_1p_short(unit, &round_bf16(&power_of_two(unit, &power)))
    };
    unit.store_rounded(&unit.add(&larger, &rest))
}

/// `logaddexp2_binary_tile`: log2(2^a + 2^b).
pub(crate) fn logaddexp2(unit: Unit, a: &Reg, b: &Reg) -> Reg {
    let (larger, gap) = larger_and_gap(unit, a, b);
    let rest = if unit.fp32 {
        ln_1p(unit, &exp_32(unit, &unit.mul(&gap, -std::f32::consts::LN_2)))
    } else {
        ln_1p_short(unit, &round_bf16(&power_of_two(unit, &unit.add(&neg(&gap), 127.0))))
    };
    unit.store_rounded(&unit.mad(&rest, std::f32::consts::LOG2_E, &larger))
}

/// `nextafter_binary_tile`.
pub(crate) fn nextafter(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    next_by(unit, x, y, 1)
}

/// `nextafter_bf16_binary_tile`.
pub(crate) fn nextafter_bf16(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    next_by(unit, x, y, 0x1_0000)
}

fn next_by(unit: Unit, x: &Reg, y: &Reg, step: u32) -> Reg {
    let (less, more) = (unit.lt(x, y), unit.gt(x, y));
    let back = step.wrapping_neg();
    // Later conditions win.
    let mut by = and(&and(&less, &unit.ge(x, 0)), step);
    by = select(&and(&less, &unit.lt(x, 0)), back, &by);
    by = select(&and(&more, &unit.gt(x, 0)), back, &by);
    by = select(&and(&more, &unit.le(x, 0)), step, &by);
    let mut value = int_add(x, &by);
    let (x_zero, y_zero) = (equal(&abs_bits(x), 0), equal(&abs_bits(y), 0));
    value = select(&and(&x_zero, &unit.gt(y, 0)), step, &value);
    value = select(&and(&x_zero, &unit.lt(y, 0)), step | SIGN, &value);
    value = select(&and(&x_zero, &y_zero), y, &value);
    let nan = or(&int_less(INFINITY, &abs_bits(x)), &int_less(INFINITY, &abs_bits(y)));
    unit.store(&select(&nan, NAN, &value))
}

/// `isclose_binary_tile<false>`: relative and absolute tolerance.
pub(crate) fn isclose(unit: Unit, a: &Reg, b: &Reg, p: &[u32]) -> Reg {
    close(unit, a, b, p, false)
}

/// `isclose_binary_tile<true>`: NaN is close to NaN.
pub(crate) fn isclose_nan(unit: Unit, a: &Reg, b: &Reg, p: &[u32]) -> Reg {
    close(unit, a, b, p, true)
}

fn close(unit: Unit, a: &Reg, b: &Reg, p: &[u32], equal_nan: bool) -> Reg {
    let (a_size, b_size) = (abs_bits(a), abs_bits(b));
    let tolerance = unit.mad(p[0], &float_abs(b), p[1]);
    let near = unit.le(&float_abs(&unit.sub(a, b)), &tolerance);
    let special = not(&and(&int_less(&a_size, INFINITY), &int_less(&b_size, INFINITY)));
    let mut same = and(&equal(&a_size, INFINITY), &equal(a, b));
    if equal_nan {
        same = or(&same, &and(&int_less(INFINITY, &a_size), &int_less(INFINITY, &b_size)));
    }
    flag(unit, &select(&special, &same, &near))
}

/// `fmod_binary_tile`.
pub(crate) fn fmod_binary(unit: Unit, a: &Reg, b: &Reg) -> Reg {
    let (zero, size) = (splat(0), float_abs(b));
    let whole = truncated(&unit.mul(a, &reciprocal(unit, b)));
    let r = unit.sub_product(a, &whole, b);
    let positive = unit.ge(&r, &zero);
    let nearer = select(&positive, &unit.sub(&r, &size), &unit.add(&r, &size));
    let r = select(&unit.ge(&float_abs(&r), &size), &nearer, &r);
    let up = and(&unit.ge(a, &zero), &unit.lt(&r, &zero));
    let down = and(&not(&unit.ge(a, &zero)), &unit.gt(&r, &zero));
    let r = select(&up, &unit.add(&r, &size), &select(&down, &unit.sub(&r, &size), &r));
    let r = and(&r, &not(&equal(a, b)));
    unit.store_rounded(&select(&equal(b, 0), NAN, &r))
}

/// `remainder_binary_tile`.
pub(crate) fn remainder_binary(unit: Unit, a: &Reg, b: &Reg) -> Reg {
    let zero = splat(0);
    let whole = floored(unit, &unit.mul(a, &reciprocal(unit, b)));
    let r = unit.sub_product(a, &whole, b);
    let other_sign = and(&not(&equal(&r, 0)), &is_negative(&xor(&r, b)));
    let r = select(&other_sign, &unit.add(&r, b), &r);
    let both_positive = and(&unit.gt(b, &zero), &unit.gt(a, &zero));
    let less = unit.sub(&r, b);
    let r = select(&and(&both_positive, &unit.ge(&less, &zero)), &less, &r);
    let both_negative = and(&unit.lt(b, &zero), &unit.lt(a, &zero));
    let less = unit.sub(&r, b);
    let r = select(&and(&both_negative, &unit.le(&less, &zero)), &less, &r);
    unit.store_rounded(&select(&equal(b, 0), NAN, &r))
}
