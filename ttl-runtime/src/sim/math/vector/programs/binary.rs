//! Operations of two registers.

use super::super::integers::*;
use super::super::steps::*;
use super::power::{reciprocal, reciprocal_normalized};

/// `add_binary_tile`.
pub(crate) fn add(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store(&unit.add(x, y))
}

/// `sub_binary_tile`.
pub(crate) fn sub(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store(&unit.sub(x, y))
}

/// `rsub_binary_tile`.
pub(crate) fn rsub(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    sub(unit, y, x)
}

/// `add_binary_tile<DstRoundingMode::NearestEven>`.
pub(crate) fn add_even(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    store_even(unit, &unit.add(x, y))
}

/// `sub_binary_tile<DstRoundingMode::NearestEven>`.
pub(crate) fn sub_even(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    store_even(unit, &unit.sub(x, y))
}

/// `rsub_binary_tile<DstRoundingMode::NearestEven>`.
pub(crate) fn rsub_even(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    sub_even(unit, y, x)
}

/// The store of operations that round 16-bit results to even.
pub(super) fn store_even(unit: Unit, x: &Reg) -> Reg {
    unit.store(&if unit.fp32 { *x } else { round_bf16_even(x) })
}

/// `mul_binary_tile`. With 16-bit registers +0 times anything is 0.
pub(crate) fn mul(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let product = unit.mul(x, y);
    if unit.fp32 {
        return unit.store(&product);
    }
    let absent = or(&equal(x, 0), &equal(y, 0));
    unit.store(&and(&round_bf16_even(&product), &xor(&absent, !0)))
}

/// `div_binary_tile`.
pub(crate) fn div(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    if unit.fp32 {
        return unit.store(&quotient(unit, x, y));
    }
    let quotient = unit.mul(x, &reciprocal(unit, y));
    let by_zero = select(&equal(x, 0), NAN, &copy_sign(INFINITY, x));
    unit.store(&round_bf16_even(&select(&equal(y, 0), &by_zero, &quotient)))
}

/// Division of the significands with one correction, then the exponent in two factors, so that their product overflows or underflows by
/// itself.
fn quotient(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let (mx, my) = (set_exponent(x, 127), set_exponent(y, 127));
    let r = reciprocal_normalized(unit, &my);
    let q = unit.mul(&mx, &r);
    let rest = unit.mad(&neg(&q), &my, &mx);
    let q = unit.mad(&rest, &r, &q);

    let (ex, ey) = (exponent(x), power_of(y));
    let field = int_add(&int_sub(&ex, &ey), &exponent(&q));
    let half = shift_right(&field, 1);
    let value = unit.mul(&set_exponent(&q, &half), &set_exponent(1.0, &int_sub(&field, &half)));

    // Zeros, denormals, infinities and NaN: only what becomes of the divisor's exponent counts.
    let outside = or(
        &or(&is_negative(&int_sub(&ex, 1)), &greater(&ex, 254)),
        &or(&is_negative(&int_add(&ey, 126)), &greater(&ey, 127)),
    );
    let nan = greater(&abs_bits(y), INFINITY);
    let special = if unit.wormhole {
        let scale = xor(&and(y, SIGN | INFINITY), INFINITY);
        select(&nan, y, &unit.mul(x, &scale))
    } else {
        let scale = and(&not(y), SIGN | INFINITY);
        unit.mad(&neg(x), &scale, &nan)
    };
    select(&outside, &special, &value)
}

/// `binary_max_tile`.
pub(crate) fn binary_max(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store(&max(x, y))
}

/// `binary_min_tile`.
pub(crate) fn binary_min(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store(&min(x, y))
}

/// 1 where the mask is set, else 0.
pub(super) fn flag(unit: Unit, mask: &Reg) -> Reg {
    unit.store(&and(mask, 1.0))
}

/// The sum of the magnitudes: zero if both are, beyond infinity if one is NaN.
fn magnitudes(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.add(&abs_bits(x), &abs_bits(y))
}

fn equal_floats(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let sum = magnitudes(unit, x, y);
    or(&and(&equal(x, y), &not(&int_less(INFINITY, &sum))), &equal(&sum, 0))
}

/// `eq_binary_tile`.
pub(crate) fn eq(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    flag(unit, &equal_floats(unit, x, y))
}

/// `ne_binary_tile`.
pub(crate) fn ne(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    flag(unit, &not(&equal_floats(unit, x, y)))
}

/// `lt_binary_tile`.
pub(crate) fn lt(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let sum = magnitudes(unit, x, y);
    flag(unit, &and(&above(y, x), &not(&or(&equal(&sum, 0), &int_less(INFINITY, &sum)))))
}

/// `gt_binary_tile`.
pub(crate) fn gt(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    lt(unit, y, x)
}

/// `le_binary_tile`.
pub(crate) fn le(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let sum = magnitudes(unit, x, y);
    let larger = and(&above(x, y), &not(&equal(&sum, 0)));
    flag(unit, &not(&or(&larger, &int_less(INFINITY, &sum))))
}

/// `ge_binary_tile`.
pub(crate) fn ge(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    le(unit, y, x)
}

/// `mask_tile`: 0 where the mask is +0.
pub(crate) fn mask(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store_where(&equal(y, 0), &splat(0), x)
}

/// `mask_posinf_tile`: infinity where the mask is +0.
pub(crate) fn mask_posinf(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    unit.store_where(&equal(y, 0), &splat(INFINITY), x)
}
