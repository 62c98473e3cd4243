//! Activations with curves.

use super::super::integers::*;
use super::super::steps::*;
use super::exponential::{ROUNDING, exp_21f, exp_32, tanh_32};
use super::power::{reciprocal, reciprocal_1, reciprocal_approx};
use super::powers::{EXP_SERIES, nearest};

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// Minus ln(2) in two parts.
const MINUS_LN2: [f32; 2] = [-0.693_115_234_375, -3.194_618_329_87e-5];

/// e^t, its factors: a polynomial of the rest, and the power of two.
fn exp_parts(unit: Unit, t: &Reg, series: &[f32]) -> (Reg, Reg) {
    let sum = unit.mad(t, LOG2_E, ROUNDING);
    let k = unit.sub(&sum, &splat(ROUNDING.to_bits()));
    let r = unit.mad(&k, MINUS_LN2[0], t);
    let r = unit.mad(&k, MINUS_LN2[1], &r);
    (unit.polynomial(&r, series), int_sub(&sum, ROUNDING))
}

/// The value times a power of two, 0 below the normal numbers.
fn scaled(value: &Reg, power: &Reg) -> Reg {
    let field = int_add(&exponent(value), power);
    and(&set_exponent(value, &field), &greater(&field, 0))
}

/// e^x - 1 for x below about 88.
fn expm1_below(unit: Unit, x: &Reg) -> Reg {
    let x = max(x, -87.0);
    let sum = unit.mad(&x, LOG2_E, ROUNDING);
    let k = unit.sub(&sum, &splat(ROUNDING.to_bits()));
    let r = unit.mad(&k, MINUS_LN2[0], &x);
    let r = unit.mad(&k, MINUS_LN2[1], &r);
    let h = if unit.long {
        let h = [1.0, 0.5, 1.666_650_474_1e-1, 4.166_623_95e-2, 8.369_150_571_5e-3, 1.394_858_351e-3];
        unit.polynomial(&r, &h)
    } else {
        unit.polynomial(&r, &[1.0, 4.999_937_117_1e-1, 1.666_643_321_5e-1, 4.187_566_414_5e-2, 8.375_131_525_1e-3])
    };
    let h = unit.mul(&r, &h);
    let power = set_exponent(1.0, &int_sub(&sum, 0x4B3F_FF81));
    unit.mad(&power, &h, &unit.add(&power, -1.0))
}

/// `elu_tile`.
pub(crate) fn elu(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let below = unit.mul(p[0], &expm1_below(unit, x));
    unit.store_rounded(&select(&is_negative(x), &below, x))
}

/// `selu_tile`: scale, alpha.
pub(crate) fn selu(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let both = f32::from_bits(p[0]) * f32::from_bits(p[1]);
    let below = unit.mul(both, &expm1_below(unit, x));
    unit.store_rounded(&select(&is_negative(x), &below, &unit.mul(p[0], x)))
}

/// `celu_tile`: alpha and its reciprocal.
pub(crate) fn celu(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let below = unit.mul(p[0], &expm1_below(unit, &unit.mul(p[1], x)));
    unit.store_rounded(&select(&is_negative(x), &below, x))
}

/// `softplus_tile`: beta, its reciprocal, and the threshold above which x stays as it is.
pub(crate) fn softplus(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let t = unit.mul(p[0], x);
    let a = abs_bits(&t);
    let rest = if unit.long { softplus_rest(unit, &a) } else { softplus_rest_16(unit, &a) };
    let value = unit.mul(p[1], &unit.add(&max(&t, 0), &rest));
    let value = if unit.fp32 { value } else { round_bf16(&value) };
    unit.store_where(&unit.le(&t, p[2]), &value, x)
}

/// ln(1 + e^-a): a polynomial up to 5, then three terms of the series in e^-a.
fn softplus_rest(unit: Unit, a: &Reg) -> Reg {
    let near = unit.polynomial(
        a,
        &[
            6.931_055_784_2e-1,
            -4.992_624_521_3e-1,
            1.218_634_918_3e-1,
            5.675_378_255_5e-3,
            -1.052_837_446_3e-2,
            2.729_017_520_3e-3,
            -3.435_849_503_1e-4,
            2.128_569_212_8e-5,
            -4.824_571_533_4e-7,
        ],
    );
    let e = exp_below(unit, &or(a, SIGN));
    let far = unit.mul(&e, &unit.mad(&e, &unit.mad(&e, 0.333_333_343, -0.5), 1.0));
    select(&unit.gt(a, 5.0), &far, &near)
}

/// e^x for negative x, by a series of degree 7; 0 where that is no normal number.
fn exp_below(unit: Unit, x: &Reg) -> Reg {
    let sum = unit.mad(x, LOG2_E, ROUNDING);
    let k = unit.sub(&sum, &splat(ROUNDING.to_bits()));
    let r = unit.mad(&k, MINUS_LN2[0], x);
    let r = unit.mad(&k, MINUS_LN2[1], &r);
    let value = unit.polynomial(
        &r,
        &[1.0, 1.0, 0.5, 0.166_666_667, 0.041_666_666_7, 0.008_333_333_33, 0.001_388_888_89, 0.000_198_412_698],
    );
    let power = int_add(&exponent(&value), &int_sub(&sum, ROUNDING.to_bits()));
    and(&set_exponent(&value, &power), &greater(&power, 0))
}

/// The same to 8 bits, and 0 from 5 on.
fn softplus_rest_16(unit: Unit, a: &Reg) -> Reg {
    let rest = unit.polynomial(
        a,
        &[
            6.942_398_472_9e-1,
            -5.093_242_042_4e-1,
            1.427_909_548_6e-1,
            -1.300_058_406_9e-2,
            -1.862_792_329_1e-3,
            5.015_296_808_8e-4,
            -3.127_346_685_1e-5,
        ],
    );
    and(&rest, &not(&unit.gt(a, 5.0)))
}

/// `softshrink_tile`.
pub(crate) fn softshrink(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let (limit, minus) = (splat(p[0]), splat(p[0] ^ SIGN));
    if unit.wormhole {
        return unit.store(&unit.sub(x, &min(&max(x, &minus), &limit)));
    }
    let below = and(&unit.add(x, &limit), &unit.lt(x, &minus));
    unit.store(&select(&unit.gt(x, &limit), &unit.sub(x, &limit), &below))
}

/// `hardshrink_tile`.
pub(crate) fn hardshrink(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let (limit, size) = (splat(p[0]), abs_bits(x));
    let within = if unit.wormhole { not(&is_negative(&unit.sub(&limit, &size))) } else { unit.le(&size, &limit) };
    unit.store_where(&within, &splat(0), x)
}

/// `mish_tile<false>`.
pub(crate) fn mish(unit: Unit, x: &Reg) -> Reg {
    let u = if unit.fp32 { exp_32(unit, x) } else { round_bf16(&exp_21f(unit, x)) };
    mish_of(unit, x, &u, if unit.fp32 { reciprocal } else { reciprocal_1 })
}

/// `mish_tile<true>`.
pub(crate) fn mish_fast(unit: Unit, x: &Reg) -> Reg {
    let u = exp_21f(unit, x);
    let u = if unit.fp32 { u } else { round_bf16(&u) };
    mish_of(unit, x, &u, reciprocal_approx)
}

/// x * tanh(ln(1 + u)) with u = e^x.
fn mish_of(unit: Unit, x: &Reg, u: &Reg, reciprocal: fn(Unit, &Reg) -> Reg) -> Reg {
    let above = unit.add(u, 1.0);
    let inverse = reciprocal(unit, &unit.mad(&above, &above, 1.0));
    let upper = unit.mul(u, &unit.add(u, 2.0));
    let mut value = unit.mul(x, &unit.mul(&upper, &inverse));
    if !unit.wormhole {
        let positive = unit.mul(x, &unit.mad(-2.0, &inverse, 1.0));
        value = select(&is_negative(x), &value, &positive);
    }
    unit.store_rounded(&select(&unit.lt(x, 8.0), &value, x))
}

/// `hardmish_tile`.
pub(crate) fn hardmish(unit: Unit, x: &Reg) -> Reg {
    let scale = unit.mad(x, 0.5, 1.0);
    unit.store(&unit.mul(x, &min(&max(&scale, 0), 1.0)))
}

/// `logsigmoid_tile`: x and e^-x.
pub(crate) fn logsigmoid(unit: Unit, x: &Reg, exp: &Reg) -> Reg {
    let t = neg(x);
    let middle = unit.polynomial(
        &t,
        &[
            0.692_435_443_401_336_7,
            0.492_757_081_985_473_63,
            0.121_423_818_171_024_32,
            0.003_110_280_958_935_618_4,
            -0.003_308_072_453_364_73,
            -0.000_287_940_667_476_505_04,
            5.318_540_934_240_445_5e-5,
            7.185_354_661_475_088_6e-6,
            7.496_111_464_888_6e-8,
        ],
    );
    let in_middle = and(&unit.ge(&t, -4.0), &unit.lt(&t, 4.0));
    let value = select(&in_middle, &neg(&middle), x);
    unit.store(&select(&unit.lt(&t, -4.0), &neg(exp), &value))
}

/// `xielu_tile`: the two alphas.
pub(crate) fn xielu(unit: Unit, x: &Reg, p: &[u32]) -> Reg {
    let line = unit.mul(0.5, x);
    let positive = unit.mad(&unit.mul(p[0], x), x, &line);
    let tiny = unit.sub(&splat((-0.000_000_999_999_542_7f32).to_bits()), x);
    let series = unit.polynomial(
        x,
        &[
            0.500_000_059_604_644_775,
            0.166_666_671_633_720_4,
            4.166_508_838_534_355e-2,
            8.333_188_481_628_895e-3,
            1.400_390_756_316_483e-3,
            1.995_883_794_734_254_3e-4,
        ],
    );
    let near = unit.mul(&unit.mul(x, x), &series);
    let far = unit.sub(&unit.add(&exp_negative(unit, x), -1.0), x);

    let term = select(&unit.gt(x, -0.5), &near, &far);
    let term = select(&unit.ge(x, &splat((-1e-6f32).to_bits())), &tiny, &term);
    let value = unit.mad(p[1], &term, &line);
    unit.store_rounded(&select(&unit.gt(x, 0), &positive, &value))
}

/// e^x for negative x.
fn exp_negative(unit: Unit, x: &Reg) -> Reg {
    let (k, power) = nearest(unit, &max(&unit.mul(x, LOG2_E), -126.5));
    let r = unit.mad(&k, MINUS_LN2[0], x);
    let r = unit.mad(&k, MINUS_LN2[1], &r);
    scaled(&unit.polynomial(&r, &EXP_SERIES), &power)
}

/// A table of six lines over |x|, with breaks at 0.5, 1, 1.5, 2 and 3; slopes and offsets have 11 bits.
fn lines(unit: Unit, x: &Reg, slopes: [f32; 6], offsets: [f32; 6]) -> Reg {
    let size = abs_bits(x);
    let pick = |table: [f32; 6]| {
        let mut word = splat(half_precision(table[5]));
        for (limit, value) in [3.0f32, 2.0, 1.5, 1.0, 0.5].into_iter().zip(table.into_iter().rev().skip(1)) {
            word = select(&greater(limit, &size), half_precision(value), &word);
        }
        word
    };
    unit.mad(&pick(slopes), &size, &pick(offsets))
}

/// A constant as the table holds it, in half precision: rounded half up, what is too small becomes 0.
fn half_precision(value: f32) -> u32 {
    let rounded = value.to_bits().wrapping_add(0x1000) & 0xFFFF_E000;
    if rounded & MAGNITUDE < 0x3800_0000 { rounded & SIGN } else { rounded }
}

/// `gelu_tile<true>`: x / 2 and a table.
pub(crate) fn gelu_fast(unit: Unit, x: &Reg) -> Reg {
    let middle = if unit.wormhole { -0.2796 } else { -0.2795 };
    let slopes = [0.1928, 0.4939, 0.6188, 0.6099, 0.5402, 0.5];
    let offsets = [-0.00010443, -0.1604, middle, -0.2635, -0.1194, 0.0];
    unit.store(&unit.mad(x, 0.5, &lines(unit, x, slopes, offsets)))
}

/// `tanh_tile<true>`: a table.
pub(crate) fn tanh_fast(unit: Unit, x: &Reg) -> Reg {
    let slopes = [0.96191406, 0.57617188, 0.28710938, 0.096_435_546_9, 0.0390625, 0.0];
    let offsets = [0.0, 0.192_871_094, 0.48193359, 0.76806641, 0.8828125, 1.0];
    unit.store(&copy_sign(&lines(unit, x, slopes, offsets), x))
}

/// `sigmoid_tile<.., true>`: a table of three lines, with 5 bits.
pub(crate) fn sigmoid_fast(unit: Unit, x: &Reg) -> Reg {
    let size = abs_bits(x);
    let line = |low: f32, middle: f32, high: f32| {
        let word = select(&greater(2.0, &size), middle, high);
        select(&greater(1.0, &size), low, &word)
    };
    let value = unit.mad(&line(0.2265625, 0.265625, 0.0), &size, &line(0.0, -0.046875, 0.5));
    unit.store(&unit.add(0.5, &copy_sign(&value, x)))
}

/// `gelu_tanh_tile`.
pub(crate) fn gelu_tanh(unit: Unit, x: &Reg) -> Reg {
    let p = unit.mad(0.044715, &unit.mul(x, x), 1.0);
    let u = unit.mul(0.797_884_560_802_865_4, &unit.mul(x, &p));
    let half = unit.mul(0.5, x);
    unit.store_rounded(&unit.mad(&half, &tanh_32(unit, &u), &half))
}

/// `gelu_tanh_tile<.., true>`.
pub(crate) fn gelu_tanh_fast(unit: Unit, x: &Reg) -> Reg {
    let square = unit.mul(x, x);
    let (log2, series) = if unit.wormhole {
        let q = unit.mul(x, &unit.mad(0.044715, &square, 1.0));
        let log2 = unit.mad(&q, -2.302_208_198_1, 127.0);
        (log2, [1.000_002_551_7, 8.261_255_861_9e-8, 3.431_090_237e-15, 8.811_159_725_9e-23, 2.733_281_745_2e-30])
    } else {
        let t = unit.mad(&square, -1.029_432_416e-1, -2.302_208_185_2);
        let log2 = unit.mad(x, &t, 127.0);
        (log2, [1.0, 8.262_230_011_3e-8, 3.427_813_588_5e-15, 8.850_832_554_3e-23, 2.711_709_361_7e-30])
    };
    let power = shifted_significand(&min(&max(&log2, 0), 254.0));
    let fraction = unit.polynomial(&int_to_float(&and(&power, MANTISSA)), &series);
    let below = unit.add(&set_exponent(&fraction, &exponent(&power)), 1.0);
    let inverse = if unit.wormhole {
        reciprocal(unit, &below)
    } else {
        let mut r = approximate_reciprocal(&below);
        for _ in 0..2 {
            r = unit.mul(&r, &unit.sub_product(2.0, &below, &r));
        }
        r
    };
    unit.store_rounded(&unit.mul(x, &inverse))
}

/// `gelu_derivative_tile<false>`.
pub(crate) fn gelu_derivative(unit: Unit, x: &Reg) -> Reg {
    gelu_derivative_of(unit, x, false)
}

/// `gelu_derivative_tile<true>`.
pub(crate) fn gelu_derivative_fast(unit: Unit, x: &Reg) -> Reg {
    gelu_derivative_of(unit, x, true)
}

fn gelu_derivative_of(unit: Unit, x: &Reg, fast: bool) -> Reg {
    // Denormals become zeros here, except on Wormhole and with 16-bit registers.
    let (x, one) = if unit.fp32 && !unit.wormhole {
        let minus = unit.mad(x, -1.0, 0);
        (unit.mad(x, 1.0, 0), unit.le(&minus, -3.1719))
    } else {
        (*x, unit.ge(x, 3.1719))
    };
    let x = &x;
    let square = unit.mul(x, x);
    let series = unit.polynomial(
        &square,
        &[
            7.978_830_933_6e-1,
            -2.659_355_402e-1,
            5.976_617_336_3e-2,
            -9.414_209_984_2e-3,
            1.106_138_806_8e-3,
            -9.744_859_562_5e-5,
            6.092_147_486_9e-6,
            -2.376_403_074_3e-7,
            4.273_498_888_1e-9,
        ],
    );
    let middle = unit.mad(x, &series, 0.5);

    let t = unit.mul(&square, -0.5);
    let (value, power) = exp_parts(unit, &t, &[1.0, 1.0, 0.5, 0.166_666_667, 0.041_666_666_7, 0.008_333_333_33]);
    let tail = unit.mul(&scaled(&unit.mul(x, &value), &power), 0.398_942_280_401_432_7);
    let tail = if fast {
        tail
    } else {
        let inverse = if unit.fp32 { reciprocal(unit, &square) } else { reciprocal_1(unit, &square) };
        let correction = unit.mad(&inverse, &inverse, &unit.sub(&splat(1f32.to_bits()), &inverse));
        unit.mul(&tail, &correction)
    };
    let value = and(&tail, &unit.gt(x, -13.375));
    let value = select(&unit.ge(x, -3.0), &middle, &value);
    let mut value = select(&one, 1.0, &value);
    if unit.wormhole && unit.fp32 {
        value = select(&int_less(INFINITY, &square), x, &value);
    }
    unit.store_rounded(&value)
}

/// `tanhshrink_tile`: x - tanh(x).
pub(crate) fn tanhshrink(unit: Unit, x: &Reg) -> Reg {
    let (a, square) = (abs_bits(x), unit.mul(x, x));
    let (series, far) = if unit.fp32 {
        let exp = exp_32_unchecked(unit, &unit.mul(-2.0, &min(&a, 9.0)));
        let sigmoid = reciprocal(unit, &unit.add(&exp, 1.0));
        let far = copy_sign(&unit.sub(&a, &unit.mad(2.0, &sigmoid, -1.0)), x);
        let series = unit.polynomial(
            &square,
            &[
                3.333_333_134_7e-1,
                -1.333_312_839_3e-1,
                5.393_483_117_2e-2,
                -2.166_028_879_6e-2,
                8.219_253_271_8e-3,
                -2.510_752_528_9e-3,
                4.207_926_977e-4,
            ],
        );
        (series, far)
    } else {
        let p = unit.polynomial(&a, &[6.182_900_089_3e-2, 1.056_130_314_3, -4.085_928_375_3e-1, 5.334_840_933_3e-2]);
        let far = unit.sub(x, &copy_sign(&min(&p, 1.0), x));
        let series =
            unit.polynomial(&square, &[3.332_993_686_2e-1, -1.322_316_080_3e-1, 4.807_655_140_8e-2, -1.076_292_526e-2]);
        (series, far)
    };
    let near = unit.mul(&unit.mul(x, &square), &series);
    unit.store_rounded(&select(&unit.gt(&a, &splat(1f32.to_bits())), &far, &near))
}

/// e^x without what lies outside the normal numbers.
fn exp_32_unchecked(unit: Unit, x: &Reg) -> Reg {
    super::exponential::exp_32_core(unit, x).scaled()
}

/// `tanh_derivative_tile`, fast or not.
pub(crate) fn tanh_derivative(unit: Unit, x: &Reg) -> Reg {
    let value = if unit.wormhole { tanh_derivative_wormhole(unit, x) } else { tanh_derivative_blackhole(unit, x) };
    unit.store_rounded(&value)
}

/// `tanh_derivative_tile<true>`: the same.
pub(crate) fn tanh_derivative_fast(unit: Unit, x: &Reg) -> Reg {
    tanh_derivative(unit, x)
}

/// 4e / (1 + e)^2 with e = exp(-2 |x|): the quotient with the denominator in two parts.
fn tanh_derivative_blackhole(unit: Unit, x: &Reg) -> Reg {
    let a = abs_bits(x);
    let series = [1.0, 1.0, 4.999_998_51e-1, 1.666_647_2e-1, 4.166_953_64e-2, 8.373_124_52e-3, 1.378_059_39e-3];
    let (value, power) = exp_parts(unit, &unit.mul(&a, -2.0), &series);
    let e4 = scaled(&value, &int_add(&power, 2));
    let one = splat(1f32.to_bits());
    let q = unit.mad(&e4, 0.0625, 0.5);
    let q_low = unit.mad(&e4, 0.0625, &unit.sub(&splat(0.5f32.to_bits()), &q));
    let below = unit.mad(&e4, &q, 1.0);
    let below_low = unit.mad(&e4, &q, &unit.sub(&one, &below));
    let below_low = unit.mad(&e4, &q_low, &below_low);
    let mut y = approximate_reciprocal(&below);
    for _ in 0..2 {
        y = unit.mad(&y, &unit.mad(&neg(&below), &y, 1.0), &y);
    }
    let q0 = unit.mul(&e4, &y);
    let w = unit.mad(&neg(&q0), &below, &e4);
    let w = unit.mad(&neg(&q0), &below_low, &w);
    and(&unit.mad(&w, &y, &q0), &unit.lt(&a, 45.0))
}

/// A polynomial, then 4 exp(-2 |x|).
fn tanh_derivative_wormhole(unit: Unit, x: &Reg) -> Reg {
    let a = float_abs(x);
    let t = unit.mad(&unit.mul(&a, &a), 2.0 / 9.0, -1.0);
    let core = unit.polynomial(
        &t,
        &[
            5.589_718_693_983_35e-2,
            -1.151_512_019_755_568_8e-1,
            1.415_785_564_344_591_3e-1,
            -1.401_623_034_162_894e-1,
            1.476_920_449_716_673e-1,
            -1.430_499_155_743_196_7e-1,
            3.595_055_155_702_565e-2,
            5.004_655_124_201_139e-2,
            6.003_165_237_980_128e-2,
            -1.463_461_361_321_605_5e-1,
            6.338_403_430_773_876e-2,
        ],
    );
    let t = unit.mad(&a, -2.0, 1.386_294_361_119_890_6);
    let (value, power) = exp_parts(unit, &t, &[1.0, 1.0, 0.5, 0.166_666_667, 0.041_666_666_7]);
    let tail = and(&scaled(&value, &power), &unit.lt(&a, 45.0));
    select(&unit.lt(&a, 3.0), &core, &tail)
}
