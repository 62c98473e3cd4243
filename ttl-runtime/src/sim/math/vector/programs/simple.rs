//! Signs, comparisons with zero, rounding to integers, and activations without curves.

use super::super::steps::*;
use super::power::reciprocal_by_mode;

/// `relu_tile`.
pub(crate) fn relu(unit: Unit, x: &Reg) -> Reg {
    if unit.wormhole {
        unit.store(&max(x, 0))
    } else {
        // Only negative lanes are stored.
        and(x, &greater(x, !0))
    }
}

const ONE: f32 = 1.0;

/// `abs_tile`.
pub(crate) fn abs(unit: Unit, x: &Reg) -> Reg {
    unit.store(&float_abs(x))
}

/// `negative_tile`.
pub(crate) fn negative(unit: Unit, x: &Reg) -> Reg {
    unit.store(&neg(x))
}

/// `identity_tile`.
pub(crate) fn identity(unit: Unit, x: &Reg) -> Reg {
    unit.store(x)
}

/// `square_tile`.
pub(crate) fn square(unit: Unit, x: &Reg) -> Reg {
    let product = unit.mul(x, x);
    unit.store(&if unit.fp32 { product } else { round_bf16_even(&product) })
}

/// `sign_tile`.
pub(crate) fn sign(unit: Unit, x: &Reg) -> Reg {
    unit.store(&and(&copy_sign(ONE, x), &not(&is_zero(x))))
}

/// `signbit_tile`.
pub(crate) fn signbit(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &is_negative(x))
}

/// 1 where the mask is set, else 0.
fn flag(unit: Unit, mask: &Reg) -> Reg {
    unit.store(&and(mask, ONE))
}

fn is_zero(x: &Reg) -> Reg {
    equal(&and(x, MAGNITUDE), 0)
}

fn is_nan(x: &Reg) -> Reg {
    greater(&and(x, MAGNITUDE), INFINITY)
}

fn is_negative(x: &Reg) -> Reg {
    greater(0, x)
}

/// `eqz_tile`.
pub(crate) fn eqz(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &is_zero(x))
}

/// `nez_tile`: also of NaN.
pub(crate) fn nez(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &not(&is_zero(x)))
}

/// `gtz_tile`.
pub(crate) fn gtz(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &not(&or(&is_negative(x), &or(&is_zero(x), &is_nan(x)))))
}

/// `ltz_tile`.
pub(crate) fn ltz(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &and(&is_negative(x), &not(&or(&is_zero(x), &is_nan(x)))))
}

/// `gez_tile`.
pub(crate) fn gez(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &and(&or(&not(&is_negative(x)), &is_zero(x)), &not(&is_nan(x))))
}

/// `lez_tile`.
pub(crate) fn lez(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &and(&or(&is_negative(x), &is_zero(x)), &not(&is_nan(x))))
}

/// `isinf_tile`.
pub(crate) fn isinf(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &equal(&and(x, MAGNITUDE), INFINITY))
}

/// `isposinf_tile`.
pub(crate) fn isposinf(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &equal(x, INFINITY))
}

/// `isneginf_tile`.
pub(crate) fn isneginf(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &equal(x, SIGN | INFINITY))
}

/// `isnan_tile`.
pub(crate) fn isnan(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &is_nan(x))
}

/// `isfinite_tile`.
pub(crate) fn isfinite(unit: Unit, x: &Reg) -> Reg {
    flag(unit, &greater(INFINITY, &and(x, MAGNITUDE)))
}

/// The bits of the fraction cut off; below 1 only the sign is left.
pub(super) fn truncated(x: &Reg) -> Reg {
    let power = int_sub(&exponent(x), 127);
    let mask = mask_above(&int_sub(23, &power));
    and(x, &select(&greater(0, &power), SIGN, &mask))
}

/// `trunc_tile`.
pub(crate) fn trunc(unit: Unit, x: &Reg) -> Reg {
    unit.store(&truncated(x))
}

/// `floor_tile`.
pub(crate) fn floor(unit: Unit, x: &Reg) -> Reg {
    unit.store(&floored(unit, x))
}

pub(super) fn floored(unit: Unit, x: &Reg) -> Reg {
    let whole = truncated(x);
    let moved = if unit.wormhole { and(&is_negative(x), &greater(0, &int_sub(&whole, x))) } else { above(&whole, x) };
    select(&moved, &unit.add(&whole, -1.0), &whole)
}

/// `ceil_tile`.
pub(crate) fn ceil(unit: Unit, x: &Reg) -> Reg {
    let whole = truncated(x);
    let moved =
        if unit.wormhole { and(&not(&is_negative(x)), &greater(0, &int_sub(&whole, x))) } else { above(x, &whole) };
    unit.store(&select(&moved, &unit.add(&whole, 1.0), &whole))
}

/// `frac_tile`.
pub(crate) fn frac(unit: Unit, x: &Reg) -> Reg {
    unit.store(&unit.sub(x, &truncated(x)))
}

/// `softsign_tile`.
pub(crate) fn softsign(unit: Unit, x: &Reg) -> Reg {
    let below = unit.add(&float_abs(x), 1.0);
    unit.store(&unit.mul(x, &reciprocal_by_mode(unit, &below)))
}

/// `hardsigmoid_tile`.
pub(crate) fn hardsigmoid(unit: Unit, x: &Reg) -> Reg {
    let line = unit.mad(x, 0.166_666_671_633_720_4, 0.5);
    if unit.wormhole {
        let line = select(&unit.exceeds(&line, 1.0, false), ONE, &line);
        return unit.store(&and(&line, &not(&is_negative(&line))));
    }
    unit.store(&max(&min(&line, 1.0), 0))
}

/// `stochastic_round_tile`: to the nearest bf16. The chip takes either neighbour, by chance.
pub(crate) fn stochastic_round(unit: Unit, x: &Reg) -> Reg {
    unit.store(&round_bf16(x))
}
