//! Logarithms.
//!
//! A number is taken apart into 2^k and a rest in 3/4..3/2. `e` holds k in the place of the exponent field.

use super::super::steps::*;

const LN2_STEP: f32 = std::f32::consts::LN_2 * 1.192_092_9e-7;
const SIXTEEN: [f32; 3] = [-0.50097656, 0.3635254, -0.25];
const THIRTY_TWO: [f32; 9] =
    [-0.5, 0.33333376, -0.2500004, 0.19995117, -0.1665039, 0.14416504, -0.13098145, 0.10748291, -0.04916382];

/// k ln 2 + ln(1 + m), long or short.
fn combine(unit: Unit, e: &Reg, m: &Reg, long: bool) -> Reg {
    let r = unit.polynomial(m, if long { &THIRTY_TWO } else { &SIXTEEN });
    let r = unit.mad(&r, &unit.mul(m, m), m);
    let k = copy_sign(&int_to_float(&int_abs(e)), e);
    unit.mad(&k, LN2_STEP, &r)
}

/// ln(a) times `scale`, if there is one.
pub(super) fn ln(unit: Unit, a: &Reg, scale: Option<u32>, long: bool) -> Reg {
    let e = and(&int_sub(a, 0.75), !MANTISSA);
    let m = unit.add(&int_sub(a, &e), -1.0);
    let mut value = combine(unit, &e, &m, long);
    if let Some(scale) = scale {
        value = unit.mul(&value, scale);
    }
    // Zero becomes infinity here.
    let a1 = add_exponent(a, !0);
    let value = select(&equal(&exponent(&a1), 255), &unit.mul(&value, &a1), &value);
    select(&greater(0, a), NAN, &value)
}

/// Negative zero and denormals become zero.
pub(super) fn without_denormals(unit: Unit, x: &Reg) -> Reg {
    unit.mad(x, 1.0, 0.0)
}

/// `log_tile`.
pub(crate) fn log(unit: Unit, x: &Reg) -> Reg {
    unit.store_rounded(&ln(unit, &without_denormals(unit, x), None, unit.fp32))
}

/// `log_tile<true>`: denormals are not looked at.
pub(crate) fn log_fast(unit: Unit, x: &Reg) -> Reg {
    unit.store_rounded(&ln(unit, x, None, unit.fp32))
}

/// `log_with_base_tile`: times 1 / ln(base).
pub(crate) fn log_with_base(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    unit.store_rounded(&ln(unit, &without_denormals(unit, x), Some(p[0]), unit.fp32))
}

/// `log1p_tile`.
pub(crate) fn log1p(unit: Unit, x: &Reg) -> Reg {
    unit.store_rounded(&ln_1p(unit, x))
}

/// `log1p_tile<true>`: the same.
pub(crate) fn log1p_fast(unit: Unit, x: &Reg) -> Reg {
    log1p(unit, x)
}

/// ln(1 + a).
pub(super) fn ln_1p(unit: Unit, a: &Reg) -> Reg {
    let u = unit.add(a, 1.0);
    let e = and(&int_sub(&u, 0.75), !MANTISSA);
    let scale = int_sub(-4.0, &e);
    let m = unit.add(&int_sub(a, &e), &unit.mad(-0.25, &scale, -1.0));
    let value = combine(unit, &e, &m, unit.fp32);
    let value = select(&greater(INFINITY, &u), &value, &u);
    select(&greater(0, &u), NAN, &value)
}
