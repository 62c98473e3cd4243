//! Results of the operations on a simulated card, for all bf16 values (one operand of 16-bit registers) or 16384 made-up ones.
//!
//! `tests/data/vector.txt` has a line per case: the program, chip, bits of the registers (`32long` in kernels that define `INP_FLOAT32`), approximate mode, operands, kind of values, a sum over the
//! results, and the words of the call. The sums come from the kernel library's own functions: run on ttsim, or, where its compiler does
//! not fit them into the vector unit's registers, on a model of its instructions that gives the same results as ttsim for the others.

use super::programs;
use super::steps::{BLOCK, Reg, Unit};

type Program = fn(Unit, &[Reg], &[u32]) -> Reg;

macro_rules! programs {
    (unary $($a:ident)*; with words $($b:ident)*; binary $($c:ident)*; binary with words $($e:ident)*; ternary $($d:ident)*;) => {
        const PROGRAMS: &[(&str, Program)] = &[
            $((stringify!($a), |unit, r, _| programs::$a(unit, &r[0])),)*
            $((stringify!($b), |unit, r, words| programs::$b(unit, &r[0], words)),)*
            $((stringify!($c), |unit, r, _| programs::$c(unit, &r[0], &r[1])),)*
            $((stringify!($e), |unit, r, words| programs::$e(unit, &r[0], &r[1], words)),)*
            $((stringify!($d), |unit, r, words| programs::$d(unit, &r[0], &r[1], &r[2], words)),)*
        ];
    };
}

programs! {
    unary abs_int32 acos acosh asin asinh atan atanh bitwise_not cosh digamma eqz_int32 eqz_uint16 eqz_uint32 erf
        erf_fast erfc erfinv exp_fast exp_fast_unclamped expm1_fast gelu_derivative gelu_derivative_fast gelu_fast
        gelu_tanh gelu_tanh_fast gez_int32 gtz_int32 hardmish i0 i1 identity_uint32 lez_int32 lgamma log1p_fast
        log_fast logical_not logical_not_int ltz_int32 mish mish_fast negative_int32 nez_int32 nez_uint16 nez_uint32
        relu_int32 rsqrt_fast sigmoid_fast signbit_int32 sinh sqrt_fast tan tanh_derivative tanh_derivative_fast
        tanh_fast tanhshrink typecast_f32_bf16 typecast_f32_i32 typecast_f32_u16 typecast_f32_u32 typecast_i32_bf16
        typecast_i32_f32 typecast_i32_u16 typecast_u16_float typecast_u16_int typecast_u32_bf16
        typecast_u32_f32 typecast_u32_u16;
    with words add_unary add_unary_int32 bitwise_and bitwise_or bitwise_xor celu clamp clamp_int32 div_unary elu
        exp_scaled fill fill_int fmod hardshrink hardtanh heaviside leaky_relu left_shift log_with_base mul_unary
        polygamma power power_iterative prelu rdiv rdiv_floor rdiv_trunc relu_max relu_max_int32 relu_max_uint16
        relu_max_uint32 relu_min relu_min_int32 relu_min_uint16 relu_min_uint32 remainder remainder_scalar_uint32
        right_shift right_shift_uint round rpow rsub_unary rsub_unary_int32 selu softplus softshrink sub_unary
        sub_unary_int32 threshold unary_eq unary_eq_int32 unary_ge unary_ge_int32 unary_gt unary_gt_int32 unary_le
        unary_le_int32 unary_lt unary_lt_int32 unary_max unary_max_int32 unary_max_uint32 unary_min unary_min_int32
        unary_min_uint32 unary_ne unary_ne_int32 xielu;
    binary add_even add_int add_u16 atan2 binary_max_int32 binary_max_uint32 binary_min_int32 binary_min_uint32
        bitwise_and_binary bitwise_and_binary_u16 bitwise_or_binary bitwise_or_binary_u16 bitwise_xor_binary
        bitwise_xor_binary_u16 div div_int32 div_int32_floor div_int32_trunc eq eq_int eq_u16 eq_uint fmod_binary
        fmod_int32 gcd ge ge_int ge_u16 ge_uint gt gt_int gt_u16 gt_uint lcm le le_int le_u16 le_uint
        left_shift_binary lgamma_stirling_float logaddexp logaddexp2 logical_right_shift_binary logsigmoid lt lt_int
        lt_u16 lt_uint mask mask_int mask_posinf mul_int mul_u16 ne ne_int ne_u16 ne_uint nextafter nextafter_bf16
        power_binary remainder_binary remainder_int32 remainder_uint32 right_shift_binary rsub rsub_even rsub_int
        rsub_u16 sub_even sub_int sub_u16 xlogy;
    binary with words dequant dequant_int8 isclose isclose_nan quant quant_int8 quant_uint8 requant requant_int8
        requant_int8_in requant_int8_in_int8_out requant_int8_in_uint8_out requant_uint8;
    ternary addcdiv addcmul lerp lgamma_adjusted snake_beta where_ where_int;
}

/// Numbers that look random.
fn mixed(i: u64) -> (u32, u32) {
    let z = i.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x123_4567);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let z = z ^ (z >> 31);
    (z as u32, (z >> 32) as u32)
}

const FLOATS: [u32; 32] = [
    0, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x3F000000, 0xBF000000, 0x7F800000, 0xFF800000,
    0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF80FFFF, 0x00800000, 0x80800000, 0x00000001, 0x807FFFFF, 0x7F7FFFFF,
    0xFF7FFFFF, 0x40490FDB, 0xC0490FDB, 0x3F317218, 0x42C80000, 0xC2C80000, 0x3DCCCCCD, 0xBDCCCCCD, 0x40400000,
    0xC0400000, 0x3FC00000, 0x4B000000, 0xCF000000,
];

const INTEGERS: [u32; 32] = [
    0, 1, 2, 3, 5, 7, 10, 16, 31, 32, 33, 100, 255, 256, 1000, 32767, 32768, 65535, 65536, 0x7FFFFFFF, 0x80000000,
    0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFF6, 0xFFFFFF9C, 0xFFFF8000, 0xFFFF7FFF, 0xFFFF0000,
    0x12345678, 0xCAFEBABE,
];

/// Element `i` of operand `which`: every 1024 another kind, among them all pairs of the special values above.
fn element(integers: bool, which: u64, i: u64) -> u32 {
    let (b, r) = mixed(i * 3 + which);
    let j = (i % 1024) as usize;
    let special = [j % 32, j / 32, (j * 7 + j / 32) % 32][which as usize];
    let beside = || {
        element(integers, 0, i)
            .wrapping_add((r % 3).wrapping_sub(1) * if which == 2 && !integers { 0x10000 } else { 1 })
    };
    let between = |low: u32, count: u32| b & 0x807F_FFFF | (low + r % count) << 23;
    match (i / 1024 % 8, integers) {
        (5, _) if which > 0 => beside(),
        (6, false) => FLOATS[special],
        (6, true) => INTEGERS[special],
        (0, false) => between(118, 13),
        (2, false) => between(100, 50),
        (3, false) => (((r % 1025) as f32 - 512.0) / 8.0).to_bits(),
        (4, false) if b & 1 == 1 => between(1, 60),
        (4, false) => between(190, 65),
        (5, false) => between(124, 8),
        (7, false) => between(118, 13) & 0xFFFF_0000,
        (1, true) => (b % 2001).wrapping_sub(1000),
        (2, true) => b % 65536,
        (3, true) => b >> (r % 32),
        (4, true) => (b >> (r % 32)).wrapping_neg(),
        (7, true) => b % 64,
        _ => b,
    }
}

fn sum(program: Program, unit: Unit, operands: usize, integers: bool, words: &[u32]) -> u64 {
    let all = operands == 1 && !unit.fp32;
    let mut sum = 0xCBF2_9CE4_8422_2325u64;
    for block in 0..if all { 65536 } else { 16384 } / BLOCK {
        let operands: Vec<Reg> = (0..operands)
            .map(|which| {
                Reg(std::array::from_fn(|lane| {
                    let i = (block * BLOCK + lane) as u64;
                    let word = if all { (i as u32) << 16 } else { element(integers, which as u64, i) };
                    if unit.fp32 { word } else { word & 0xFFFF_0000 }
                }))
            })
            .collect();
        for lane in program(unit, &operands, words).0 {
            sum = (sum ^ u64::from(lane)).wrapping_mul(0x100_0000_01B3);
        }
    }
    sum
}

#[test]
fn operations_have_the_card_s_results() {
    let text = include_str!("../../../../tests/data/vector.txt");
    let mut wrong = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [name, chip, bits, approx, operands, kind, expected, ref words @ ..] = fields[..] else { panic!("{line}") };
        let program = PROGRAMS.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("{name}")).1;
        let unit = Unit { wormhole: chip == "wh", fp32: bits != "16", long: bits == "32long", approx: approx == "1" };
        let words: Vec<u32> = words.iter().map(|w| u32::from_str_radix(w, 16).expect("a word")).collect();
        let got = sum(program, unit, operands.parse().expect("a number"), kind == "i", &words);
        if format!("{got:016x}") != expected {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
}
