//! Remainders of division by a given number.

use super::super::integers::*;
use super::super::steps::*;

/// |x| times the reciprocal with its fraction cut off, and its exponent.
fn quotient(unit: Unit, size: &Reg, reciprocal: u32) -> (Reg, Reg, Reg) {
    let product = unit.mul(size, &float_abs(&splat(reciprocal)));
    let power = power_of(&product);
    let places = int_sub(&power, 23);
    let whole = shift(&shift(&product, &places), &int_sub(0, &places));
    let value = select(&is_negative(&places), &whole, &product);
    (product, and(&value, &not(&is_negative(&power))), power)
}

/// What is left after ten more subtractions where the quotient was too small.
fn settled(unit: Unit, v: &Reg, divisor: &Reg) -> Reg {
    let mut v = select(&equal(divisor, 0), NAN, v);
    for _ in 0..10 {
        v = select(&unit.ge(&v, divisor), &unit.sub(&v, divisor), &v);
    }
    let equal_size = equal(&unit.sub(&float_abs(&v), divisor), 0);
    unit.store(&and(&v, &not(&equal_size)))
}

/// `fmod_tile`: the divisor and its reciprocal; the sign is that of x.
pub(crate) fn fmod(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let (divisor, size) = (float_abs(&splat(p[0])), float_abs(x));
    let (_, q, power) = quotient(unit, &size, p[1]);
    let too_large = and(&is_negative(&int_sub(&power, 23)), &unit.gt(&unit.mul(&q, &divisor), &size));
    let q = select(&too_large, &unit.add(&q, -1.0), &q);
    let v = unit.sub_product(&size, &q, &divisor);
    settled(unit, &copy_sign(&v, x), &divisor)
}

/// `remainder_tile`: the divisor and its reciprocal; the sign is that of the divisor.
pub(crate) fn remainder(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let given = splat(p[0]);
    let (divisor, size) = (float_abs(&given), float_abs(x));
    let (product, q, _) = quotient(unit, &size, p[1]);
    let q = select(&unit.gt(&q, &product), &unit.add(&q, -1.0), &q);
    let v = unit.sub_product(&size, &q, &divisor);
    let v = select(&and(&is_negative(x), &not(&equal(&v, 0))), &unit.sub(&divisor, &v), &v);
    let v = select(&and(&is_negative(&given), &not(&equal(&v, 0))), &unit.add(&v, &given), &v);
    settled(unit, &copy_sign(&v, &given), &divisor)
}
