//! Logarithms.
//!
//! A number is taken apart into 2^k and a rest in 3/4..3/2. `e` holds k in the place of the exponent field.

use super::super::steps::*;

const LN2_STEP: f32 = std::f32::consts::LN_2 * 1.192_092_9e-7;
const SIXTEEN: [f32; 3] = [-0.50097656, 0.3635254, -0.25];
const THIRTY_TWO: [f32; 9] =
    [-0.5, 0.33333376, -0.2500004, 0.19995117, -0.1665039, 0.14416504, -0.13098145, 0.10748291, -0.04916382];

/// k ln 2 + ln(1 + m).
fn combine(unit: Unit, e: &Reg, m: &Reg) -> Reg {
    let r = unit.polynomial(m, if unit.fp32 { &THIRTY_TWO } else { &SIXTEEN });
    let r = unit.mad(&r, &unit.mul(m, m), m);
    let k = copy_sign(&int_to_float(&int_abs(e)), e);
    unit.mad(&k, LN2_STEP, &r)
}

/// `log_tile`.
pub(crate) fn log(unit: Unit, x: &Reg) -> Reg {
    // Negative zero and denormals become zero.
    let a = unit.mad(x, 1.0, 0.0);
    let e = and(&int_sub(&a, 0.75), !MANTISSA);
    let m = unit.add(&int_sub(&a, &e), -1.0);
    let value = combine(unit, &e, &m);
    // Zero becomes infinity here.
    let a1 = add_exponent(&a, !0);
    let value = select(&equal(&exponent(&a1), 255), &unit.mul(&value, &a1), &value);
    unit.store_rounded(&select(&greater(0, &a), NAN, &value))
}

/// `log1p_tile`.
pub(crate) fn log1p(unit: Unit, a: &Reg) -> Reg {
    let u = unit.add(a, 1.0);
    let e = and(&int_sub(&u, 0.75), !MANTISSA);
    let scale = int_sub(-4.0, &e);
    let m = unit.add(&int_sub(a, &e), &unit.mad(-0.25, &scale, -1.0));
    let value = combine(unit, &e, &m);
    let value = select(&greater(INFINITY, &u), &value, &u);
    unit.store_rounded(&select(&greater(0, &u), NAN, &value))
}
