//! Error functions, Bessel functions, and the gamma function's relatives.

use super::super::integers::*;
use super::super::steps::*;
use super::exponential::exp_32_core;
use super::logarithm::ln;
use super::power::{reciprocal, reciprocal_1, reciprocal_approx, reciprocal_by_mode, sqrt_inner};

/// x within -limit..=limit.
fn limited(x: &Reg, limit: f32) -> Reg {
    copy_sign(&min(&float_abs(x), limit), x)
}

/// `erf_tile<false>`.
pub(crate) fn erf(unit: Unit, x: &Reg) -> Reg {
    erf_by(unit, x, reciprocal)
}

/// `erf_tile<true>`.
pub(crate) fn erf_fast(unit: Unit, x: &Reg) -> Reg {
    erf_by(unit, x, reciprocal_approx)
}

/// Numerator without its x, and denominator, in squares of x.
const ERF_16: ([f32; 4], [f32; 5]) = (
    [1.128_093_244_7, 2.760_921_227_9e-1, 4.540_028_173_8e-2, 7.448_118_442_5e-4],
    [1.0, 5.743_918_833_4e-1, 1.367_576_481e-1, 8.284_460_678_4e-3, 2.481_386_214_5e-5],
);

/// The long form of them.
pub(super) const ERF: ([f32; 8], [f32; 9]) = (
    [
        1.128_379_106_5,
        2.147_743_254_9e-1,
        6.213_343_516e-2,
        5.623_043_514_8e-3,
        6.130_704_423_4e-4,
        1.767_832_145_6e-5,
        2.738_464_743_9e-8,
        -2.863_206_338_7e-10,
    ],
    [
        1.0,
        5.236_727_595_3e-1,
        1.296_170_651_9e-1,
        1.964_257_098_7e-2,
        1.954_555_511_5e-3,
        1.317_905_698_7e-4,
        1.315_634_449_4e-6,
        -3.515_388_868_9e-9,
        -6.735_072_569_1e-12,
    ],
);

/// An odd rational function.
fn erf_by(unit: Unit, x: &Reg, reciprocal: fn(Unit, &Reg) -> Reg) -> Reg {
    let x = limited(x, 10.0);
    let square = unit.mul(&x, &x);
    let (upper, lower): (&[f32], &[f32]) = if unit.long { (&ERF.0, &ERF.1) } else { (&ERF_16.0, &ERF_16.1) };
    let (upper, lower) = (unit.polynomial(&square, upper), unit.polynomial(&square, lower));
    let value = unit.mul(&unit.mul(&upper, &x), &reciprocal(unit, &lower));
    unit.store(&min(&max(&value, -1.0), 1.0))
}

/// `erfc_tile`: rational functions on 0..2.5 and 2.5..5.
pub(crate) fn erfc(unit: Unit, x: &Reg) -> Reg {
    let a = min(&float_abs(x), 5.0);
    let upper = unit
        .polynomial(&a, &[1.000_023_365, -1.337_567_567_8, 6.818_554_401_4e-1, -1.569_198_221e-1, 1.374_674_495_3e-2]);
    let lower = unit.polynomial(
        &a,
        &[1.0, -2.080_151_736_7e-1, 4.366_708_695_9e-1, -3.456_866_834_3e-3, 2.510_477_416_2e-2, 2.837_553_247_8e-2],
    );
    let upper_far = unit.polynomial(
        &a,
        &[-2.565_523_755e-5, 2.127_557_672_8e-5, -6.616_215_614_5e-6, 9.143_976_740_2e-7, -4.738_718_217_8e-8],
    );
    let lower_far = unit.polynomial(
        &a,
        &[1.0, -1.645_720_899_1e-1, -2.057_218_402_6e-1, -1.388_863_623_1e-1, 1.267_709_732_1e-1, -2.137_539_163_2e-2],
    );
    let far = unit.ge(&a, 2.5);
    let lower = select(&far, &lower_far, &lower);
    let value = unit.mul(&select(&far, &upper_far, &upper), &reciprocal_approx(unit, &lower));
    unit.store(&select(&is_negative(x), &unit.sub(&splat(2f32.to_bits()), &value), &value))
}

/// `erfinv_tile`, by Winitzki's approximation.
pub(crate) fn erfinv(unit: Unit, x: &Reg) -> Reg {
    let log = ln(unit, &unit.sub_product(1.0, x, x), None, false);
    let t = unit.mad(-0.5, &log, -4.330_746_750_799_873);
    let inner = unit.product_sub(&t, &t, &unit.mul(&log, 6.802_721_088_435_375));
    let value = sqrt_inner(unit, &unit.add(&t, &sqrt_inner(unit, &inner)));
    unit.store(&copy_sign(&value, x))
}

/// `i0_tile`: the series.
pub(crate) fn i0(unit: Unit, x: &Reg) -> Reg {
    let coefficients = [
        1.0,
        0.25,
        0.015625,
        0.000_434_027_777_8,
        0.000_006_781_684_028,
        6.78e-8,
        4.71e-10,
        2.40e-12,
        9.39e-15,
        2.90e-17,
        7.24e-20,
        1.50e-22,
    ];
    unit.store(&unit.polynomial(&unit.mul(x, x), &coefficients))
}

/// Numerator without its x, and denominator, in squares of x.
const I1: ([f32; 7], [f32; 8]) = (
    [
        0.5,
        5.681_939_050_6e-2,
        1.924_724_550_9e-3,
        2.839_736_407_6e-5,
        2.091_686_752_7e-7,
        7.793_708_456_4e-10,
        1.229_355_593e-12,
    ],
    [
        1.0,
        -1.136_121_898_9e-2,
        6.126_813_968_9e-5,
        -1.977_171_28e-7,
        3.812_755_111_6e-10,
        -3.121_817_041e-13,
        -3.063_552_998_8e-16,
        7.430_149_852_3e-19,
    ],
);

/// The short form of them.
const I1_16: ([f32; 4], [f32; 4]) = (
    [4.999_273_774e-1, 5.450_359_46e-2, 1.612_629_163e-3, 2.022_349_913e-5],
    [1.0, -1.624_259_107e-2, 1.033_366_075e-4, -2.507_613_299e-7],
);

/// `i1_tile`: a rational function up to 10, then e^x / sqrt(x) with a correction.
pub(crate) fn i1(unit: Unit, x: &Reg) -> Reg {
    let x = limited(x, 88.5);
    let t = unit.mul(&x, &x);
    let (upper, lower): (&[f32], &[f32]) = if unit.long { (&I1.0, &I1.1) } else { (&I1_16.0, &I1_16.1) };
    let (upper, lower) = (unit.polynomial(&t, upper), unit.polynomial(&t, lower));
    let near = unit.mul(&unit.mul(&upper, &x), &reciprocal_by_mode(unit, &lower));
    let a = float_abs(&x);
    let value = select(&unit.gt(&a, 10.0), &i1_far(unit, &a, &x), &near);
    unit.store(&if unit.long { value } else { round_bf16(&value) })
}

fn i1_far(unit: Unit, a: &Reg, x: &Reg) -> Reg {
    let exp = if unit.long { exp_32_core(unit, a).scaled() } else { exp_16_bits(unit, a) };
    let y = int_sub(0x5F11_10A0, &shift_right_1(a));
    let c = unit.mul(&neg(&y), &unit.mul(a, &y));
    let y = unit.mul(&y, &unit.mad(&c, &unit.add(2.253_304_9, &c), 2.282_518_6));
    let c = unit.mad(&neg(&y), &unit.mul(a, &y), 1.0);
    let y = unit.mad(&c, &add_exponent(&y, !0), &y);
    let correction = unit.polynomial(
        &unit.mul(&y, &y),
        &[
            3.989_422_896_7e-1,
            -1.496_049_544_4e-1,
            -4.665_292_532e-2,
            -4.367_459_156e-2,
            -1.974_832_231_4e-2,
            -3.346_792_291_4e-1,
        ],
    );
    copy_sign(&unit.mul(&unit.mul(&exp, &y), &correction), x)
}

/// e^x to 8 bits, for x of 10 to 88.5.
fn exp_16_bits(unit: Unit, a: &Reg) -> Reg {
    let power = shifted_significand(&unit.mad(a, std::f32::consts::LOG2_E, 127.0));
    let fraction = int_to_float(&and(&power, MANTISSA));
    let fraction = unit.polynomial(&fraction, &[1.001_724_8, 7.839_635_491_371_155e-8, 4.791_750_143_340_323e-15]);
    set_exponent(&fraction, &exponent(&power))
}

/// ln(x) by a cubic.
fn ln_coarse(unit: Unit, x: &Reg) -> Reg {
    let m = set_exponent(x, 127);
    let series = unit.polynomial(
        &m,
        &[-1.582_665_562_629_699_7, 2.309_868_335_723_877, -0.868_914_246_559_143_1, 0.141_711_473_464_965_82],
    );
    let value = unit.mad(&int_to_float(&power_of(x)), 0.692_871, &series);
    select(&equal(x, 0), SIGN | INFINITY, &value)
}

fn is_infinite(x: &Reg) -> Reg {
    equal(&abs_bits(x), INFINITY)
}

/// Numerator and denominator up to 51.005, and above that.
const DIGAMMA: ([f32; 11], [f32; 10]) = (
    [
        -4.259_628_653_5e-1,
        -1.245_913_982_4,
        -7.037_459_611_9e-1,
        3.541_829_586e-1,
        3.968_610_167_5e-1,
        1.076_035_648_6e-1,
        1.115_937_065_3e-2,
        4.529_983_270_9e-4,
        6.451_371_518_8e-6,
        2.334_895_477e-8,
        3.362_959_216_7e-12,
    ],
    [
        -6.376_291_486_6e-8,
        4.259_670_376_8e-1,
        1.0,
        8.273_630_142_2e-1,
        3.008_182_644_8e-1,
        4.998_564_720_2e-2,
        3.711_788_915_1e-3,
        1.146_304_130_1e-4,
        1.261_001_273_2e-6,
        3.373_279_877_6e-9,
    ],
);

const DIGAMMA_FAR: ([f32; 11], [f32; 10]) = (
    [
        1.385_633_791_3e5,
        -2.791_501_782_8e5,
        5.518_909_672_7e4,
        2.623_028_581_6e4,
        2.010_240_021_7e3,
        5.477_403_775_6e1,
        6.141_058_853_1e-1,
        2.849_531_254_7e-3,
        4.924_896_785_2e-6,
        2.296_325_497e-9,
        3.853_016_891_2e-14,
    ],
    [
        -1.672_429_960_1e5,
        1.0,
        6.367_723_120_6e4,
        1.101_385_173_7e4,
        5.938_381_120_1e2,
        1.289_064_791e1,
        1.206_177_010_4e-1,
        4.749_005_200_9e-4,
        6.924_031_661_5e-7,
        2.592_517_562_8e-10,
    ],
);

/// The short form, for both.
const DIGAMMA_16: ([f32; 7], [f32; 6]) = (
    [
        -3.376_719_062_5e5,
        -6.028_705e5,
        2.153_299_218_8e5,
        2.139_845_468_8e5,
        1.949_686_718_8e4,
        2.484_709_472_7e2,
        8.715_151_995_4e-2,
    ],
    [1.0, 3.376_015e5, 4.089_226_875e5, 9.977_571_875e4, 5.124_647_949_2e3, 4.135_139_083_9e1],
);

/// `digamma_tile`: a rational function up to 102, then the asymptotic series.
pub(crate) fn digamma(unit: Unit, x: &Reg) -> Reg {
    let (upper, lower) = if unit.long {
        let far = unit.ge(x, 51.005);
        let [near, beyond] = [&DIGAMMA, &DIGAMMA_FAR].map(|(p, q)| (unit.polynomial(x, p), unit.polynomial(x, q)));
        (select(&far, &beyond.0, &near.0), select(&far, &beyond.1, &near.1))
    } else {
        (unit.polynomial(x, &DIGAMMA_16.0), unit.polynomial(x, &DIGAMMA_16.1))
    };
    let near = unit.mul(&upper, &reciprocal(unit, &lower));

    let inverse = reciprocal(unit, x);
    let square = unit.mul(&inverse, &inverse);
    let series = unit.sub_product(0.083_333_333_3, &square, 0.008_333_333_3);
    let far = unit.sub_product(&ln_coarse(unit, x), &inverse, 0.5);
    let far = unit.sub_product(&far, &square, &series);
    let far = select(&is_infinite(x), INFINITY, &far);
    unit.store(&select(&unit.gt(x, 102.0), &far, &near))
}

const HALF_LN_2PI: f32 = 0.918_938_533_204_672_7;

/// 1 - x below 1/2.
fn reflected(unit: Unit, x: &Reg) -> Reg {
    select(&unit.lt(x, 0.5), &unit.sub(&splat(1f32.to_bits()), x), x)
}

/// (z - 1/2) ln z - z + ln(2 pi) / 2.
fn stirling(unit: Unit, z: &Reg, ln: &Reg) -> Reg {
    let value = unit.product_sub(&unit.add(z, -0.5), ln, z);
    unit.add(&value, HALF_LN_2PI)
}

/// `lgamma_stirling_tile`: below 1/2 of 1 - x.
pub(crate) fn lgamma(unit: Unit, x: &Reg) -> Reg {
    let z = reflected(unit, x);
    let value = stirling(unit, &z, &ln_coarse(unit, &z));
    let inverse = reciprocal(unit, &z);
    let series = unit.mad(&unit.mul(&inverse, &inverse), -0.002_777_777_7, 0.083_333_333_3);
    let value = unit.mad(&inverse, &series, &value);
    let zero = or(&equal(x, 1.0), &equal(x, 2.0));
    unit.store_rounded(&and(&value, &not(&zero)))
}

/// `lgamma_stirling_float_tile`: x, and the logarithm of x or 1 - x.
pub(crate) fn lgamma_stirling_float(unit: Unit, x: &Reg, ln: &Reg) -> Reg {
    let z = reflected(unit, x);
    let (d1, d2) = (unit.add(&z, -1.0), unit.add(&z, -2.0));
    let at_1 = unit.polynomial(&d1, &[-0.577_215_66, 0.822_467_03, -0.400_685_63, 0.270_580_81, -0.207_385_55]);
    let at_2 = unit.polynomial(&d2, &[0.422_784_34, 0.322_467_03, -0.067_352_3, 0.020_580_81, -0.007_385_55]);

    let value = stirling(unit, &z, ln);
    let inverse = reciprocal(unit, &z);
    let series = unit.polynomial(
        &unit.mul(&inverse, &inverse),
        &[0.083_333_333_3, -0.002_777_777_7, 0.000_793_650_7, -0.000_595_238],
    );
    let value = unit.mad(&inverse, &series, &value);
    let value = select(&unit.le(&float_abs(&d2), 0.25), &unit.mul(&d2, &at_2), &value);
    let value = select(&unit.le(&float_abs(&d1), 0.25), &unit.mul(&d1, &at_1), &value);
    let at_half = unit.lt(&float_abs(&unit.add(&z, -0.5)), 0.01);
    unit.store(&select(&at_half, 0.572_364_94, &value))
}

/// `lgamma_adjusted_tile`: the value of 1 - x, ln(|sin(pi x)|), and x.
pub(crate) fn lgamma_adjusted(unit: Unit, value: &Reg, ln_sin: &Reg, x: &Reg, _: &[u32]) -> Reg {
    let reflection = unit.sub(&splat(1.144_729_885_8f32.to_bits()), ln_sin);
    let result = select(&unit.lt(x, 0.5), &unit.sub(&reflection, value), value);
    if unit.fp32 { unit.store(&select(&is_infinite(x), INFINITY, &result)) } else { unit.store(&round_bf16(&result)) }
}

/// `polygamma_tile`: order and scale as floats. Six terms of the sum, then the Euler-Maclaurin tail.
pub(crate) fn polygamma(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let (order, scale) = (f32::from_bits(p[0]) as i32, f32::from_bits(p[1]));
    let n = |k: i32| order.wrapping_add(k) as f32;
    let c0 = scale / n(0);
    let c2 = scale * n(1) / 12.0;
    let c4 = -scale * (n(1) * n(2) * n(3)) / 720.0;
    let c6 = scale * (n(1) * n(2) * n(3) * n(4) * n(5)) / 30240.0;
    let inverse = |x: &Reg| {
        if unit.approx {
            reciprocal_approx(unit, x)
        } else if unit.fp32 {
            reciprocal(unit, x)
        } else {
            reciprocal_1(unit, x)
        }
    };

    let order = order.max(0) as u32;
    let mut sum = splat(0);
    for k in 0..6 {
        let y = inverse(&unit.add(x, k as f32));
        sum = unit.add(&sum, &raised(unit, &y, order + 1, &splat(scale.to_bits())));
    }
    let y = inverse(&unit.add(x, 6.0));
    let square = unit.mul(&y, &y);
    let series = unit.polynomial(&square, &[c0, c2, c4, c6]);
    let mut tail = unit.mad(0.5 * scale, &y, &series);
    if unit.wormhole {
        tail = raised(unit, &y, order, &tail);
    } else {
        if order & 1 == 1 {
            tail = unit.mul(&tail, &y);
        }
        tail = raised(unit, &square, order >> 1, &tail);
    }
    unit.store_rounded(&unit.add(&sum, &tail))
}

/// value * x^power: by squares on Blackhole, one by one on Wormhole.
fn raised(unit: Unit, x: &Reg, mut power: u32, value: &Reg) -> Reg {
    let (mut x, mut value) = (*x, *value);
    if unit.wormhole {
        for _ in 0..power {
            value = unit.mul(&value, &x);
        }
        return value;
    }
    while power > 0 {
        if power & 1 == 1 {
            value = unit.mul(&value, &x);
        }
        power >>= 1;
        if power == 1 {
            value = unit.mul(&value, &x);
            return unit.mul(&value, &x);
        }
        x = unit.mul(&x, &x);
    }
    value
}
