//! Sine and cosine: reduction by multiples of pi in four parts (Cody and Waite), then an odd polynomial.

use super::super::steps::*;

/// Added, it rounds to an integer in the low bits.
pub(super) const ROUNDING: f32 = 12_582_912.0;

/// Minus pi in four parts.
pub(super) const MINUS_PI: [f32; 4] = [-3.140625, -9.6702576e-4, -6.277114e-7, -1.2154201e-10];

/// `sin_tile`.
pub(crate) fn sin(unit: Unit, x: &Reg) -> Reg {
    let bits = unit.mad(x, std::f32::consts::FRAC_1_PI, ROUNDING);
    let j = unit.add(-ROUNDING, &bits);
    reduced(unit, x, &bits, &j, MINUS_PI)
}

/// `cos_tile`.
pub(crate) fn cos(unit: Unit, x: &Reg) -> Reg {
    let bits = unit.add(&unit.mad(x, std::f32::consts::FRAC_1_PI, 0.5), ROUNDING);
    let j = unit.add(&bits, -ROUNDING);
    let j = unit.mad(&j, 2.0, -1.0);
    reduced(unit, x, &bits, &j, MINUS_PI.map(|part| part / 2.0))
}

/// The sine of `x + j * parts`, negated where `bits` is odd.
fn reduced(unit: Unit, x: &Reg, bits: &Reg, j: &Reg, parts: [f32; 4]) -> Reg {
    let mut a = *x;
    for part in parts {
        a = unit.mad(j, part, &a);
    }
    let s = unit.mul(&a, &a);
    let a = xor(&a, &shift_left_31(bits));
    let r = if unit.fp32 {
        unit.polynomial(&s, &[-0.1666666, 0.008333069, -1.9809778e-4, 2.6061034e-6])
    } else {
        unit.polynomial(&s, &[-0.16666535, 0.008323983, -1.8838167e-4])
    };
    unit.store_rounded(&unit.mad(&r, &unit.mul(&a, &s), &a))
}
