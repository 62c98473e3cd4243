//! Operations of three registers.

use super::super::integers::*;
use super::super::steps::*;
use super::binary::store_even;
use super::power::{reciprocal, reciprocal_1};

/// `addcmul_tile`: a + value * b * c.
pub(crate) fn addcmul(unit: Unit, a: &Reg, b: &Reg, c: &Reg, p: &[u32]) -> Reg {
    unit.store_rounded(&unit.mad(&unit.mul(p[0], b), c, a))
}

/// `addcdiv_tile`: a + value * b / c.
pub(crate) fn addcdiv(unit: Unit, a: &Reg, b: &Reg, c: &Reg, p: &[u32]) -> Reg {
    store_even(unit, &unit.mad(&unit.mul(b, p[0]), &reciprocal(unit, c), a))
}

/// `lerp_tile`: a + c * (b - a).
pub(crate) fn lerp(unit: Unit, a: &Reg, b: &Reg, c: &Reg, _: &[u32]) -> Reg {
    store_even(unit, &unit.mad(c, &unit.sub(b, a), a))
}

/// `mac_tile`: a * b + c.
pub(crate) fn mac(unit: Unit, a: &Reg, b: &Reg, c: &Reg, _: &[u32]) -> Reg {
    unit.store_rounded(&unit.mad(a, b, c))
}

/// `snake_beta_tile`: x + sin(alpha x)^2 / beta.
pub(crate) fn snake_beta(unit: Unit, x: &Reg, alpha: &Reg, beta: &Reg, _: &[u32]) -> Reg {
    let turns = unit.mul(&unit.mul(alpha, x), std::f32::consts::FRAC_1_PI);
    let whole = magnitude_to_float(&to_smag16(&turns));
    let a = unit.mul(&unit.sub(&turns, &whole), std::f32::consts::PI);
    let s = unit.mul(&a, &a);
    let c = unit.mul(&a, &s);
    let (series, inverse) = if unit.fp32 {
        (
            unit.polynomial(
                &s,
                &[-0.16666659712791443, 0.008333069272339344, -0.00019809778314083815, 2.6061034077429213e-06],
            ),
            reciprocal(unit, beta),
        )
    } else {
        (
            unit.polynomial(&s, &[-0.16666534543037415, 0.008323983289301395, -0.0001883816730696708]),
            reciprocal_1(unit, beta),
        )
    };
    let sine = unit.mad(&c, &series, &a);
    unit.store_rounded(&unit.mad(&unit.mul(&sine, &sine), &inverse, x))
}
