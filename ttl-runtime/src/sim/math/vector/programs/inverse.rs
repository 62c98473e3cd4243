//! Tangent, inverse trigonometric and hyperbolic functions.

use super::super::integers::*;
use super::super::steps::*;
use super::logarithm::ln_1p;
use super::power::{newton_1, reciprocal, root, sqrt_inner};
use super::trigonometry::{MINUS_PI, ROUNDING};

const HALF_PI: f32 = 1.570_796_370_506_286_6;

/// 1/x of a positive number.
fn reciprocal_positive(unit: Unit, x: &Reg) -> Reg {
    if unit.wormhole {
        // A negative guess.
        let mut y = int_sub(0xFEF3_92E0, x);
        let mut e = unit.mad(x, &y, 1.0);
        if unit.fp32 {
            y = unit.mad(&y, &e, &y);
            e = unit.mad(x, &y, 1.0);
        }
        let p = unit.mad(&e, &e, &e);
        let y = neg(&y);
        return unit.mad(&y, &p, &y);
    }
    let mut y = approximate_reciprocal(x);
    for _ in 0..if unit.fp32 { 2 } else { 1 } {
        let e = unit.mad(&neg(x), &y, 1.0);
        y = unit.mad(&y, &e, &y);
    }
    y
}

/// `tan_tile`: sine and cosine's reduction to a quarter, then tan or -1 / tan.
pub(crate) fn tan(unit: Unit, x: &Reg) -> Reg {
    let bits = unit.mad(x, std::f32::consts::FRAC_2_PI, ROUNDING);
    let j = unit.add(&bits, -ROUNDING);
    let odd = shift_left_31(&bits);
    let mut a = *x;
    for part in MINUS_PI.map(|part| part / 2.0) {
        a = unit.mad(&j, part, &a);
    }
    let s = unit.mul(&a, &a);
    if !unit.fp32 {
        let t = unit.polynomial(&s, &[0.33357691764831543, 0.12633037567138672, 0.08181696385145187]);
        let r = unit.mad(&unit.mul(&t, &s), &a, &a);
        return unit.store_rounded(&select(&is_negative(&odd), &minus_reciprocal(unit, &r), &r));
    }
    let t = unit.polynomial(
        &s,
        &[
            0.3333333432674408,
            0.13333214819431305,
            0.053996603935956955,
            0.021609004586935043,
            0.009995438158512115,
            0.0011415518820285797,
            0.003865227336063981,
        ],
    );
    let t = unit.mul(&t, &s);
    let r = unit.mad(&t, &a, &a);
    // What r lost by rounding.
    let rest = unit.mad(&t, &a, &unit.mad(-1.0, &r, &a));
    let y = minus_reciprocal(unit, &r);
    let e = unit.mad(&rest, &y, &unit.mad(&r, &y, 1.0));
    unit.store(&select(&is_negative(&odd), &unit.mad(&e, &y, &y), &r))
}

/// -1/x, with one step.
fn minus_reciprocal(unit: Unit, x: &Reg) -> Reg {
    if unit.wormhole {
        return newton_1(unit, x);
    }
    let t = approximate_reciprocal(x);
    let e = unit.mad(&neg(x), &t, 1.0);
    unit.mad(&neg(&t), &e, &neg(&t))
}

/// `atan_tile`.
pub(crate) fn atan(unit: Unit, x: &Reg) -> Reg {
    if unit.fp32 { unit.store(&atan_32(unit, x)) } else { unit.store(&round_bf16(&atan_16(unit, x))) }
}

fn atan_16(unit: Unit, x: &Reg) -> Reg {
    let a = float_abs(x);
    let large = not(&is_negative(&unit.add(&a, -1.0)));
    let t = select(&large, &reciprocal(unit, &a), &a);
    let series = unit.polynomial(
        &unit.mul(&t, &t),
        &[0.999_787_867_069_244_4, -0.325_808_584_690_094, 0.155_579_000_711_441, -4.432_674_497_365_952e-2],
    );
    let value = unit.mul(&series, &t);
    let value = select(&large, &unit.sub(&splat(HALF_PI.to_bits()), &value), &value);
    select(&greater(&abs_bits(x), INFINITY), NAN, &copy_sign(&value, x))
}

fn atan_32(unit: Unit, x: &Reg) -> Reg {
    let size = abs_bits(x);
    let power = power_of(&size);
    let large = not(&is_negative(&power));
    // 0, or NaN.
    let far = unit.mul(&int_sub(&size, 1), 0);
    let inverse = select(&is_negative(&int_sub(&power, 26)), &reciprocal_positive(unit, &size), &far);
    let a = select(&large, &inverse, &size);
    let s = unit.mul(&a, &a);
    let p = unit.polynomial(
        &s,
        &[
            -0.333333283662796,
            0.19998839497566223,
            -0.142578125,
            0.10870361328125,
            -0.08026123046875,
            0.0491943359375,
            -0.0202484130859375,
            0.003932952880859375,
        ],
    );
    let r = unit.mad(&p, &unit.mul(&s, &a), &a);
    copy_sign(&select(&large, &unit.sub(&splat(HALF_PI.to_bits()), &r), &r), x)
}

/// `asin_tile`.
pub(crate) fn asin(unit: Unit, x: &Reg) -> Reg {
    if unit.fp32 {
        return unit.store(&asin_32(unit, x));
    }
    let value = asin_16(unit, x);
    unit.store(&round_bf16(&select(&unit.le(&float_abs(x), 1.0), &value, NAN)))
}

/// `acos_tile`.
pub(crate) fn acos(unit: Unit, x: &Reg) -> Reg {
    if unit.fp32 {
        return unit.store(&acos_32(unit, x));
    }
    let value = unit.sub(&splat(HALF_PI.to_bits()), &asin_16(unit, x));
    unit.store(&round_bf16(&select(&unit.le(&float_abs(x), 1.0), &value, NAN)))
}

/// A polynomial, from sqrt((1 - |x|) / 2) beyond 0.625.
fn asin_16(unit: Unit, x: &Reg) -> Reg {
    let a = float_abs(x);
    let near_end = not(&is_negative(&unit.add(&a, -0.625)));
    let root = sqrt_inner(unit, &unit.mul(&unit.sub(&splat(1f32.to_bits()), &a), 0.5));
    let z = select(&near_end, &root, &a);
    let series = unit.polynomial(
        &unit.mul(&z, &z),
        &[0.999_978_601_932_525_6, 0.167_712_256_312_370_3, 0.063_812_628_388_404_85, 0.083_148_844_540_119_17],
    );
    let value = unit.mul(&z, &series);
    let value = select(&near_end, &unit.sub_product(HALF_PI, &splat(2f32.to_bits()), &value), &value);
    copy_sign(&value, x)
}

/// Square root near the ends of the domain.
fn sqrt_end(unit: Unit, x: &Reg) -> Reg {
    let (_, xy, error) = root(unit, x);
    unit.mad(&error, &unit.mul(0.5, &xy), &xy)
}

/// Half of 1 - |x|, the distance from 0.5625, and the argument of the polynomial.
fn asin_parts(unit: Unit, x: &Reg) -> (Reg, Reg, Reg) {
    let a = float_abs(x);
    let half = unit.mul(&unit.sub(&splat(1f32.to_bits()), &a), 0.5);
    let t = unit.sub(&a, &splat(0.5625f32.to_bits()));
    let z = select(&is_negative(&t), &a, &sqrt_end(unit, &half));
    (half, t, z)
}

fn asin_32(unit: Unit, x: &Reg) -> Reg {
    let (half, t, z) = asin_parts(unit, x);
    let s = unit.mul(&z, &z);
    let p = unit.polynomial(
        &s,
        &[0.16667088866233826, 0.07485432922840118, 0.046600341796875, 0.0189361572265625, 0.050537109375],
    );
    let r = unit.mad(&unit.mul(&p, &s), &z, &z);
    let r = select(&is_negative(&t), &r, &unit.mad(-2.0, &r, HALF_PI));
    select(&is_negative(&half), NAN, &copy_sign(&r, x))
}

fn acos_32(unit: Unit, x: &Reg) -> Reg {
    let (half, t, z) = asin_parts(unit, x);
    let s = unit.mul(&z, &z);
    let p = unit.polynomial(
        &s,
        &[
            0.166666641831398,
            0.07501327246427536,
            0.044281005859375,
            0.03387451171875,
            0.006988525390625,
            0.0472412109375,
        ],
    );
    let z = copy_sign(&z, &xor(x, &t));
    let r = unit.mad(&unit.mul(&p, &s), &z, &z);
    let r = select(&is_negative(&or(&z, &t)), &unit.add(&r, HALF_PI), &r);
    let r = select(&is_negative(&t), &r, &unit.add(&r, &r));
    select(&is_negative(&half), NAN, &r)
}

/// The nearest integer to |x| / ln(2), at most 255, and what is left of |x|.
fn reduced(unit: Unit, x: &Reg, a: &Reg) -> (Reg, Reg) {
    let i = to_uint8(&unit.mul(x, 1.442695));
    let j = int_to_float(&i);
    if unit.fp32 {
        let f = unit.mad(&j, -0.693_145_752, a);
        return (i, unit.mad(&j, -1.428_606_77e-6, &f));
    }
    (i, unit.mad(&j, -0.693_147_180_559_945_3, a))
}

/// `cosh_tile`: from e^|x| / 4 and its reciprocal.
pub(crate) fn cosh(unit: Unit, x: &Reg) -> Reg {
    let a = abs_bits(x);
    let (i, f) = reduced(unit, &a, &a);
    let r = if unit.fp32 {
        unit.polynomial(
            &f,
            &[1.0, 1.0, 4.999_998_51e-1, 1.666_647_2e-1, 4.166_953_64e-2, 8.373_124_52e-3, 1.378_059_39e-3],
        )
    } else {
        unit.polynomial(&f, &[1.0, 0.999_963_462, 0.500_122_011, 0.168_174_848, 0.038_877_178])
    };
    let field = int_add(&i, 125);
    let q = unit.mul(&r, &shift_left_23(&field));
    let q = select(&is_negative(&int_sub(&field, 255)), &q, &unit.mul(&a, INFINITY));
    let eighth = unit.mul(0.125, &reciprocal_positive(unit, &q));
    let y = unit.add(&q, &q);
    let small = is_negative(&int_sub(&power_of(&q), 24));
    unit.store_rounded(&select(&small, &unit.add(&y, &eighth), &y))
}

/// `sinh_tile`: from expm1(|x|) / 4.
pub(crate) fn sinh(unit: Unit, x: &Reg) -> Reg {
    let a = abs_bits(x);
    let (i, f) = reduced(unit, x, &a);
    let r = if unit.fp32 {
        unit.polynomial(
            &f,
            &[
                4.999_999_702e-1,
                1.666_667_163e-1,
                4.166_680_202e-2,
                8.333_439_939e-3,
                1.393_107_93e-3,
                1.974_105_835e-4,
            ],
        )
    } else {
        unit.polynomial(&f, &[0.5, 1.666_259_766e-1, 4.177_856_445e-2, 8.361_816_406e-3])
    };
    let r = unit.mad(&r, &unit.mul(&f, &f), &f);
    let scale = int_add(&shift_left_23(&i), 0.25);
    let q = unit.mad(&r, &scale, &unit.sub(&scale, &splat(0.25f32.to_bits())));
    let q = select(&is_negative(&int_sub(&i, 130)), &q, &unit.mul(&a, INFINITY));

    let r = reciprocal_positive(unit, &unit.mad(4.0, &q, 1.0));
    let power = power_of(&q);
    let y = unit.add(&q, &q);
    let y = select(&is_negative(&int_sub(&power, 23)), &unit.mad(&y, &r, &y), &y);
    unit.store_rounded(&copy_sign(&select(&is_negative(&int_add(&power, 27)), x, &y), x))
}

/// Square root of a number that is not negative.
fn sqrt_positive(unit: Unit, x: &Reg) -> Reg {
    let half = add_exponent(x, !0);
    let mut y = int_sub(0x5F11_10A0, &shift_right_1(x));
    for _ in 0..if unit.fp32 { 3 } else { 2 } {
        y = unit.mul(&y, &unit.sub_product(1.5, &unit.mul(&half, &y), &y));
    }
    let a = unit.mul(x, &y);
    let error = unit.mul(0.5, &unit.sub_product(x, &a, &a));
    let a = unit.mad(&error, &y, &a);
    and(&a, &not(&equal(x, 0)))
}

const LARGE: f32 = 268_435_456.0;

/// `acosh_tile`: log1p(x - 1 + sqrt((x + 1)(x - 1))).
pub(crate) fn acosh(unit: Unit, x: &Reg) -> Reg {
    let t = unit.add(x, -1.0);
    let root = sqrt_positive(unit, &unit.mul(&unit.add(x, 1.0), &t));
    let t = select(&unit.lt(x, LARGE), &unit.add(&t, &root), &t);
    let value = ln_1p(unit, &unit.store(&t));
    let value = select(&unit.ge(x, LARGE), &unit.add(&value, std::f32::consts::LN_2), &value);
    let value = select(&unit.lt(x, 1.0), NAN, &value);
    unit.store_rounded(&and(&value, &not(&equal(x, 1.0))))
}

/// `asinh_tile`: a polynomial below 0.75, then log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))).
pub(crate) fn asinh(unit: Unit, x: &Reg) -> Reg {
    let a = float_abs(x);
    let (large, middle) = (unit.ge(&a, LARGE), unit.ge(&a, 0.75));
    let square = unit.mul(x, x);
    let root = sqrt_positive(unit, &unit.mad(x, x, 1.0));
    let inverse = reciprocal_positive(unit, &unit.add(&root, 1.0));
    let t = and(&middle, &unit.mad(&square, &inverse, &a));
    let t = select(&large, &unit.add(&a, -1.0), &t);
    let value = ln_1p(unit, &unit.store(&t));
    let value = select(&large, &unit.add(&value, std::f32::consts::LN_2), &value);
    let series = unit.polynomial(
        &square,
        &[
            1.0,
            -1.666_652_262e-1,
            7.495_806_366e-2,
            -4.417_778_924e-2,
            2.785_361_186e-2,
            -1.484_858_524e-2,
            4.375_355_784e-3,
        ],
    );
    let value = select(&unit.lt(&a, 0.75), &unit.mul(&a, &series), &value);
    unit.store_rounded(&copy_sign(&value, x))
}

/// `atanh_tile`: log1p(2 |x| / (1 - |x|)) / 2.
pub(crate) fn atanh(unit: Unit, x: &Reg) -> Reg {
    let size = float_abs(x);
    let a = select(&unit.ge(&size, 1.0), 0, &size);
    let below = unit.sub(&splat(1f32.to_bits()), &a);
    let t = unit.mul(&unit.add(&a, &a), &reciprocal_positive(unit, &below));
    let value = unit.mul(0.5, &ln_1p(unit, &unit.store(&t)));
    let value = select(&equal(&size, 1.0), INFINITY, &value);
    let value = copy_sign(&value, x);
    unit.store_rounded(&select(&unit.gt(&size, 1.0), NAN, &value))
}
