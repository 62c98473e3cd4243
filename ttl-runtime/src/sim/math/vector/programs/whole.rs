//! Operations of 32-bit integers, in two's complement, and conversions between them and floats.
//!
//! The vector unit has no instructions for most of these; the kernel library puts them together. Where that gives the mathematical
//! result for all operands, modulo 2^32, the result is computed as such here.

use super::super::integers::*;
use super::super::steps::*;
use super::power::reciprocal;
use super::short;

fn map(x: &Reg, f: impl Fn(i32) -> i32) -> Reg {
    Reg(x.0.map(|x| f(x as i32) as u32))
}

fn zip(x: &Reg, y: &Reg, f: impl Fn(i32, i32) -> i32) -> Reg {
    Reg(std::array::from_fn(|i| f(x.0[i] as i32, y.0[i] as i32) as u32))
}

fn one_where(mask: &Reg) -> Reg {
    and(mask, 1)
}

/// Larger as unsigned numbers.
fn above_unsigned<'a>(a: impl Into<Arg<'a>>, b: impl Into<Arg<'a>>) -> Reg {
    greater(&xor(a, SIGN), &xor(b, SIGN))
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = |$x:ident, $y:ident| $result:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name(_: Unit, $x: &Reg, $y: &Reg) -> Reg {
                $result
            }
        )*
    };
}

binary! {
    /// `add_int_tile`.
    add_int = |x, y| int_add(x, y);
    /// `sub_int_tile`.
    sub_int = |x, y| int_sub(x, y);
    /// `rsub_int_tile`.
    rsub_int = |x, y| int_sub(y, x);
    /// `mul_int_tile`.
    mul_int = |x, y| int_mul(x, y);
    /// `eq_int_tile`, 0 or 1 as an integer.
    eq_int = |x, y| one_where(&equal(x, y));
    /// `ne_int_tile`.
    ne_int = |x, y| one_where(&not(&equal(x, y)));
    /// `lt_int_tile<DataFormat::Int32>`.
    lt_int = |x, y| one_where(&greater(y, x));
    /// `gt_int_tile<DataFormat::Int32>`.
    gt_int = |x, y| one_where(&greater(x, y));
    /// `le_int_tile<DataFormat::Int32>`.
    le_int = |x, y| one_where(&not(&greater(x, y)));
    /// `ge_int_tile<DataFormat::Int32>`.
    ge_int = |x, y| one_where(&not(&greater(y, x)));
    /// `eq_int_tile<DataFormat::UInt32>`.
    eq_uint = |x, y| one_where(&equal(x, y));
    /// `ne_int_tile<DataFormat::UInt32>`.
    ne_uint = |x, y| one_where(&not(&equal(x, y)));
    /// `lt_int_tile<DataFormat::UInt32>`.
    lt_uint = |x, y| one_where(&above_unsigned(y, x));
    /// `gt_int_tile<DataFormat::UInt32>`.
    gt_uint = |x, y| one_where(&above_unsigned(x, y));
    /// `le_int_tile<DataFormat::UInt32>`.
    le_uint = |x, y| one_where(&not(&above_unsigned(x, y)));
    /// `ge_int_tile<DataFormat::UInt32>`.
    ge_uint = |x, y| one_where(&not(&above_unsigned(y, x)));
    /// `mask_tile` of integers, which looks at all bits of the mask.
    mask_int = |x, y| and(x, &not(&equal(y, 0)));
    /// `bitwise_and_binary_tile`.
    bitwise_and_binary = |x, y| and(x, y);
    /// `bitwise_or_binary_tile`.
    bitwise_or_binary = |x, y| or(x, y);
    /// `bitwise_xor_binary_tile`.
    bitwise_xor_binary = |x, y| xor(x, y);
    /// `binary_left_shift_tile`: 0 for counts outside 0..32.
    left_shift_binary = |x, y| zip(x, y, |x, n| if (0..32).contains(&n) { x << n } else { 0 });
    /// `binary_logical_right_shift_tile`: 0 for counts outside 0..32.
    logical_right_shift_binary = |x, y| zip(x, y, |x, n| if (0..32).contains(&n) { (x as u32 >> n) as i32 } else { 0 });
    /// `binary_right_shift_tile<DataFormat::Int32>`.
    right_shift_binary = |x, y| zip(x, y, |x, n| if (0..32).contains(&n) { x >> n } else { 0 });
    /// `binary_max_int32_tile`.
    binary_max_int32 = |x, y| zip(x, y, i32::max);
    /// `binary_min_int32_tile`.
    binary_min_int32 = |x, y| zip(x, y, i32::min);
    /// `binary_max_uint32_tile`.
    binary_max_uint32 = |x, y| zip(x, y, |x, y| (x as u32).max(y as u32) as i32);
    /// `binary_min_uint32_tile`.
    binary_min_uint32 = |x, y| zip(x, y, |x, y| (x as u32).min(y as u32) as i32);
    /// `div_int32_floor_tile`.
    div_int32_floor = |x, y| zip(x, y, |x, y| if y == 0 { by_zero(x) - i32::from(x < 0) } else { floor_division(x, y).0 });
    /// `div_int32_trunc_tile`.
    div_int32_trunc = |x, y| zip(x, y, |x, y| if y == 0 { by_zero(x) } else { x.wrapping_div(y) });
    /// `remainder_int32_tile`: the sign is that of the divisor.
    remainder_int32 = |x, y| zip(x, y, |x, y| floor_division(x, y).1);
    /// `remainder_uint32_tile`.
    remainder_uint32 = |x, y| zip(x, y, |x, y| (x as u32).checked_rem(y as u32).unwrap_or(x as u32) as i32);
    /// `fmod_int32_tile`: the sign is that of the dividend.
    fmod_int32 = |x, y| zip(x, y, |x, y| if y == 0 { x } else { x.wrapping_rem(y) });
    /// `gcd_tile`.
    gcd = |x, y| zip(x, y, common_divisor);
}

/// Quotient and remainder, rounded down.
fn floor_division(x: i32, y: i32) -> (i32, i32) {
    if y == 0 {
        return (0, x);
    }
    let (q, r) = (x.wrapping_div(y), x.wrapping_rem(y));
    if r != 0 && (r < 0) != (y < 0) { (q - 1, r + y) } else { (q, r) }
}

/// The quotient that the library's steps come to for a divisor of 0 (on Wormhole for large dividends).
fn by_zero(x: i32) -> i32 {
    match x {
        i32::MIN => -65534,
        -0x7FFF_FFFF..0 => -65536,
        _ => 65536,
    }
}

fn common_divisor(x: i32, y: i32) -> i32 {
    let (mut a, mut b) = (x.unsigned_abs(), y.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i32
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident = |$x:ident| $result:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name(_: Unit, $x: &Reg) -> Reg {
                $result
            }
        )*
    };
}

unary! {
    /// `bitwise_not_tile`.
    bitwise_not = |x| not(x);
    /// `abs_tile_int32`.
    abs_int32 = |x| int_abs(x);
    /// `negative_tile_int32`.
    negative_int32 = |x| int_sub(0, x);
    /// `signbit_tile_int32`.
    signbit_int32 = |x| one_where(&is_negative(x));
    /// `relu_tile_int32`.
    relu_int32 = |x| map(x, |x| x.max(0));
    /// `eqz_tile_int32`.
    eqz_int32 = |x| one_where(&equal(x, 0));
    /// `nez_tile_int32`.
    nez_int32 = |x| one_where(&not(&equal(x, 0)));
    /// `gtz_tile_int32`: also 1 for the smallest integer, whose negative is itself.
    gtz_int32 = |x| one_where(&is_negative(&int_sub(0, x)));
    /// `gez_tile_int32`.
    gez_int32 = |x| one_where(&not(&is_negative(x)));
    /// `ltz_tile_int32`.
    ltz_int32 = |x| one_where(&is_negative(x));
    /// `lez_tile_int32`: 0 for the smallest integer, likewise.
    lez_int32 = |x| one_where(&not(&is_negative(&int_sub(0, x))));
    /// `eqz_tile_uint32`.
    eqz_uint32 = |x| one_where(&equal(x, 0));
    /// `nez_tile_uint32`.
    nez_uint32 = |x| one_where(&not(&equal(x, 0)));
    /// `identity_tile_uint32`.
    identity_uint32 = |x| *x;
    /// `logical_not_tile<DataFormat::Int32>`.
    logical_not_int = |x| one_where(&equal(x, 0));
}

macro_rules! with_words {
    ($($(#[$doc:meta])* $name:ident = |$x:ident, $p:ident| $result:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name(_: Unit, $x: &Reg, $p: &[u32]) -> Reg {
                $result
            }
        )*
    };
}

with_words! {
    /// `bitwise_and_tile`.
    bitwise_and = |x, p| and(x, p[0]);
    /// `bitwise_or_tile`.
    bitwise_or = |x, p| or(x, p[0]);
    /// `bitwise_xor_tile`.
    bitwise_xor = |x, p| xor(x, p[0]);
    /// `left_shift_tile`.
    left_shift = |x, p| shift(x, p[0]);
    /// `right_shift_tile<DataFormat::Int32>`.
    right_shift = |x, p| shift_arithmetic(x, p[0].wrapping_neg());
    /// `right_shift_tile<DataFormat::UInt32>`.
    right_shift_uint = |x, p| shift(x, p[0].wrapping_neg());
    /// `add_unary_tile_int32`.
    add_unary_int32 = |x, p| int_add(x, p[0]);
    /// `sub_unary_tile_int32`.
    sub_unary_int32 = |x, p| int_sub(x, p[0]);
    /// `rsub_unary_int32_tile`.
    rsub_unary_int32 = |x, p| int_sub(p[0], x);
    /// `unary_max_int32_tile`.
    unary_max_int32 = |x, p| map(x, |x| x.max(p[0] as i32));
    /// `unary_min_int32_tile`.
    unary_min_int32 = |x, p| map(x, |x| x.min(p[0] as i32));
    /// `unary_max_uint32_tile`.
    unary_max_uint32 = |x, p| Reg(x.0.map(|x| x.max(p[0])));
    /// `unary_min_uint32_tile`.
    unary_min_uint32 = |x, p| Reg(x.0.map(|x| x.min(p[0])));
    /// `clamp_tile_int32`.
    clamp_int32 = |x, p| map(x, |x| x.max(p[0] as i32).min(p[1] as i32));
    /// `relu_max_tile_int32`: min(max(x, 0), limit).
    relu_max_int32 = |x, p| map(x, |x| x.max(0).min((p[0] as i32).max(0)));
    /// `relu_min_tile_int32`: max(x, limit).
    relu_min_int32 = |x, p| map(x, |x| x.max(p[0] as i32));
    /// `relu_max_tile_uint32`.
    relu_max_uint32 = |x, p| Reg(x.0.map(|x| x.min(p[0])));
    /// `relu_min_tile_uint32`.
    relu_min_uint32 = |x, p| Reg(x.0.map(|x| x.max(p[0])));
    /// `remainder_tile_uint32`.
    remainder_scalar_uint32 = |x, p| Reg(x.0.map(|x| x.checked_rem(p[0]).unwrap_or(x)));
    /// `unary_eq_tile_int32`.
    unary_eq_int32 = |x, p| one_where(&equal(x, p[0]));
    /// `unary_ne_tile_int32`.
    unary_ne_int32 = |x, p| one_where(&not(&equal(x, p[0])));
    /// `unary_gt_tile_int32`.
    unary_gt_int32 = |x, p| one_where(&greater(x, p[0]));
    /// `unary_ge_tile_int32`.
    unary_ge_int32 = |x, p| one_where(&not(&greater(p[0], x)));
    /// `unary_lt_tile_int32`.
    unary_lt_int32 = |x, p| one_where(&greater(p[0], x));
    /// `unary_le_tile_int32`.
    unary_le_int32 = |x, p| one_where(&not(&greater(x, p[0])));
    /// `fill_tile_int`.
    fill_int = |_x, p| splat(p[0]);
}

/// The greatest common divisor as the vector unit finds it in some steps: enough of them for operands of one bit more.
fn divisor_in(steps: u32, a: i32, b: i32) -> i32 {
    let shifted = |x: i32, places: i32| {
        if places < 0 { (x as u32) >> (places.unsigned_abs() & 31) } else { (x as u32) << (places & 31) }.cast_signed()
    };
    let lowest = |x: i32| x & x.wrapping_neg();
    let zeros = lowest(a | b).leading_zeros() as i32;
    let (a, mut b) = if shifted(b, zeros) == 0 { (b, a) } else { (a, b) };
    b = b.wrapping_abs();
    let mut minus_a = a.wrapping_abs().wrapping_neg();
    // Floats and these are ordered alike but for negative numbers.
    let order = |x: i32| if x < 0 { x ^ i32::MAX } else { x };
    for _ in 0..steps {
        if minus_a == 0 {
            break;
        }
        let a = minus_a.wrapping_abs();
        let odd = shifted(a, lowest(a).leading_zeros() as i32 - zeros);
        let (larger, smaller) = if order(odd) < order(b) { (b, odd) } else { (odd, b) };
        b = smaller;
        minus_a = smaller.wrapping_sub(larger);
    }
    b
}

/// `lcm_tile`, for operands below 2^15.
pub(crate) fn lcm(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let divisor = magnitude_to_float(&zip(x, y, |x, y| divisor_in(14, x, y)));
    // 1 / divisor by two steps of Newton's on its significand, between 1/2 and 1.
    let minus_m = set_exponent(&or(&divisor, SIGN), 126);
    let mut inverse = unit.mad(&minus_m, 32.0 / 17.0, 48.0 / 17.0);
    for _ in 0..2 {
        let error = unit.mad(&inverse, &minus_m, 1.0);
        inverse = unit.mad(&error, &inverse, &inverse);
    }
    let power = int_sub(&power_of(&divisor), 126);
    let inverse = set_exponent(&inverse, &int_sub(&power_of(&inverse), &power));
    let quotient = to_uint16(&unit.mul(&magnitude_to_float(&int_abs(x)), &inverse));
    product_16(unit, &quotient, &int_abs(y))
}

/// A product of numbers of 16 bits; larger ones lose their upper bits.
fn product_16(unit: Unit, a: &Reg, b: &Reg) -> Reg {
    if !unit.wormhole {
        return int_add(&shift_left(&mul24_high(a, b), 23), &mul24_low(a, b));
    }
    let halves = |x: &Reg| [magnitude_to_float(&and(x, 0xFF)), magnitude_to_float(&shift_right(x, 8))];
    let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
    let product = |a: &Reg, b: &Reg| to_uint16(&unit.mul(a, b));
    let middle = int_add(&shift_left(&product(&a0, &b1), 8), &shift_left(&product(&a1, &b0), 8));
    int_add(&int_add(&product(&a0, &b0), &middle), &shift_left(&product(&a1, &b1), 16))
}

/// `div_int32_tile`: the quotient as a float.
pub(crate) fn div_int32(unit: Unit, x: &Reg, y: &Reg) -> Reg {
    let (fx, fy) = (magnitude_to_float(&to_smag(x)), magnitude_to_float(&to_smag(y)));
    let inverse = reciprocal(unit, &fy);
    let quotient = unit.mul(&fx, &inverse);
    let rest = unit.sub_product(&fx, &quotient, &fy);
    let refined = unit.mad(&rest, &inverse, &quotient);
    let value = select(&equal(y, 0), &quotient, &refined);
    let same = and(&equal(x, y), &not(&equal(x, 0)));
    unit.store(&select(&same, 1.0, &value))
}

/// `logical_not_tile` of floats: 1 where x is +0.
pub(crate) fn logical_not(unit: Unit, x: &Reg) -> Reg {
    super::binary::flag(unit, &equal(x, 0))
}

/// `where_tile` of integers.
pub(crate) fn where_int(unit: Unit, a: &Reg, b: &Reg, c: &Reg, p: &[u32]) -> Reg {
    super::scalar::where_(unit, a, b, c, p)
}

/// `typecast_tile` from a signed integer to f32.
pub(crate) fn typecast_i32_f32(unit: Unit, x: &Reg) -> Reg {
    unit.store(&int_to_float(x))
}

/// `typecast_tile` from an unsigned integer to f32: upper and lower part together in one multiply-add.
pub(crate) fn typecast_u32_f32(unit: Unit, x: &Reg) -> Reg {
    const STEP: f32 = 8_388_608.0;
    let upper = unit.add(-1.0, &magnitude_to_float(&shift_right(x, 23)));
    unit.store(&unit.mad(&upper, STEP, &set_mantissa(STEP, x)))
}

/// `typecast_tile` from a signed integer to bf16 in 32-bit registers.
pub(crate) fn typecast_i32_bf16(unit: Unit, x: &Reg) -> Reg {
    unit.store(&round_bf16(&int_to_float(x)))
}

/// `typecast_tile` from an unsigned integer to bf16.
pub(crate) fn typecast_u32_bf16(unit: Unit, x: &Reg) -> Reg {
    let low = magnitude_to_float(&abs_bits(x));
    unit.store(&round_bf16(&select(&is_negative(x), &unit.add(2_147_483_648.0, &low), &low)))
}

/// `typecast_tile` from f32 to bf16, ties to even.
pub(crate) fn typecast_f32_bf16(unit: Unit, x: &Reg) -> Reg {
    unit.store(&round_bf16_even(x))
}

/// `typecast_tile` from f32 to a signed integer: cut; what does not fit becomes the nearest limit.
pub(crate) fn typecast_f32_i32(_: Unit, x: &Reg) -> Reg {
    let size = to_int_positive(x);
    let below = select(&greater(&power_of(x), 30), SIGN, &int_sub(0, &size));
    select(&is_negative(x), &below, &size)
}

/// `typecast_tile` from f32 to an unsigned integer: cut; negative numbers become 0, what is too large the largest.
pub(crate) fn typecast_f32_u32(_: Unit, x: &Reg) -> Reg {
    let power = power_of(x);
    let bits = shift(&or(&and(x, MANTISSA), MANTISSA + 1), &int_sub(&power, 23));
    let value = select(&greater(&power, 31), !0, &bits);
    and(&value, &not(&or(&is_negative(x), &is_negative(&power))))
}

/// `typecast_tile` from f32 to u16: rounded, at most 65535. In 32-bit registers, too, it goes to where the packer takes it from.
pub(crate) fn typecast_f32_u16(_: Unit, x: &Reg) -> Reg {
    short::register(&to_uint16(&max(x, 0)))
}

/// `typecast_tile` from u16 to the float of the register's width.
pub(crate) fn typecast_u16_float(unit: Unit, x: &Reg) -> Reg {
    if unit.fp32 {
        unit.store(&magnitude_to_float(&and(x, 0xFFFF)))
    } else {
        unit.store(&round_bf16(&magnitude_to_float(&short::number(x))))
    }
}

/// `typecast_tile` from u16 to an integer of 32 bits.
pub(crate) fn typecast_u16_int(_: Unit, x: &Reg) -> Reg {
    and(x, 0xFFFF)
}

/// `typecast_tile` from a signed integer to u16: within 0..=65535.
pub(crate) fn typecast_i32_u16(_: Unit, x: &Reg) -> Reg {
    short::register(&map(x, |x| x.clamp(0, 65535)))
}

/// `typecast_tile` from an unsigned integer to u16; what is too large sets all bits (on Wormhole of the upper half).
pub(crate) fn typecast_u32_u16(unit: Unit, x: &Reg) -> Reg {
    let upper = shift_right(x, 16);
    let largest = if unit.wormhole { or(&upper, 0xFFFF_0000) } else { splat(!0) };
    select(&greater(&upper, 0), &largest, &short::register(x))
}

/// `quant_tile`: x * scale + zero point, rounded to 8 bits with sign.
pub(crate) fn quant(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    from_smag(&to_smag8(&unit.mad(x, scale, p[0])))
}

/// `quant_uint8_tile`.
pub(crate) fn quant_uint8(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    to_uint8(&unit.mad(x, scale, p[0]))
}

/// `requant_tile`: the same from an integer.
pub(crate) fn requant(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    quant(unit, &quantized(unit, x), scale, p)
}

/// `requant_uint8_tile`.
pub(crate) fn requant_uint8(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    quant_uint8(unit, &quantized(unit, x), scale, p)
}

/// v + 128, rounded to 0..=255, of which the upper bit is then turned: a byte in two's complement.
fn to_byte(shifted: &Reg) -> Reg {
    xor(&to_uint8(&and(shifted, &not(&is_negative(shifted)))), 0x80)
}

/// Wormhole's load turns negative numbers round, which bytes are not.
fn from_byte(unit: Unit, x: &Reg) -> Reg {
    let x = if unit.wormhole { from_smag(x) } else { *x };
    magnitude_to_float(&xor(&x, 0x80))
}

/// An integer as a float; the smallest becomes zero, of which Wormhole drops the sign.
fn quantized(unit: Unit, x: &Reg) -> Reg {
    let value = to_smag(x);
    magnitude_to_float(&if unit.wormhole { and(&value, &not(&equal(x, SIGN))) } else { value })
}

/// `quant_int8_tile`: the zero point has 128 added to it.
pub(crate) fn quant_int8(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    to_byte(&unit.mad(x, scale, &unit.add(&splat(128f32.to_bits()), p[0])))
}

/// `requant_int8_tile`.
pub(crate) fn requant_int8(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    quant_int8(unit, &quantized(unit, x), scale, p)
}

/// `requant_int8_in_tile`: the byte with 128 added; the zero point makes up for that.
pub(crate) fn requant_int8_in(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    quant(unit, &from_byte(unit, x), scale, p)
}

/// `requant_int8_in_tile` after the init for bytes from 0 to 255.
pub(crate) fn requant_int8_in_uint8_out(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    quant_uint8(unit, &from_byte(unit, x), scale, p)
}

/// `requant_int8_in_int8_out_tile`.
pub(crate) fn requant_int8_in_int8_out(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    quant_int8(unit, &from_byte(unit, x), scale, p)
}

/// `dequant_int8_tile`: the byte with 128 added; the zero point makes up for that.
pub(crate) fn dequant_int8(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    unit.store(&unit.mul(&unit.add(&from_byte(unit, x), p[0]), scale))
}

/// `dequant_tile`: (x + zero point) * scale, of which the zero point is given with its sign changed.
pub(crate) fn dequant(unit: Unit, x: &Reg, scale: &Reg, p: &[u32]) -> Reg {
    unit.store(&unit.mul(&unit.add(&quantized(unit, x), p[0]), scale))
}
