//! f32: arithmetic, comparisons with NaN, casts that saturate.

use crate::harness::{PAGE, pairs, words_from};
use ttl::prelude::*;

/// Bits of a value; NaNs differ in sign and payload between machines, so all are one.
#[ttl::device]
fn bits(x: f32) -> u32 {
    if x == x { x.to_bits() } else { NAN }
}

const NAN: u32 = 0x7fc0_0000;

#[ttl::device]
fn arithmetic(op: u32, a: f32, b: f32) -> u32 {
    if op == 0 {
        bits(a + b)
    } else if op == 1 {
        bits(a - b)
    } else if op == 2 {
        bits(a * b)
    } else if op == 3 {
        bits(a / b)
    } else if op == 4 {
        bits(-a)
    } else if op == 5 {
        bits(a.abs())
    } else if op == 6 {
        // No contraction to a fused multiply-add.
        bits(a * b + a)
    } else if op == 7 {
        bits(a * 0.1 - b / 3.0)
    } else {
        let mut c = a;
        c += b;
        c *= 0.5;
        c -= -b;
        c /= 1.5e-3;
        bits(c)
    }
}

#[ttl::device]
fn comparisons(a: f32, b: f32) -> u32 {
    (a < b) as u32
        + ((a <= b) as u32) * 2
        + ((a > b) as u32) * 4
        + ((a >= b) as u32) * 8
        + ((a == b) as u32) * 16
        + ((a != b) as u32) * 32
        + (!(a < b) as u32) * 64
        + ((-a < b) as u32) * 128
}

#[ttl::device]
fn casts(op: u32, a: f32) -> u32 {
    if op == 10 {
        a as u8 as u32
    } else if op == 11 {
        a as i8 as u32
    } else if op == 12 {
        a as u16 as u32
    } else if op == 13 {
        a as i16 as u32
    } else if op == 14 {
        a as u32
    } else if op == 15 {
        a as i32 as u32
    } else if op == 16 {
        (a as i32 as f32).to_bits()
    } else if op == 17 {
        (a as u32 as f32).to_bits()
    } else {
        bits(f32::from_bits(a.to_bits().wrapping_add(1)))
    }
}

const OPS: u32 = 19;

#[ttl::kernel(writer)]
fn kernel(
    noc: Noc,
    input: TensorAccessor<f32>,
    input_out: CbOut<f32>,
    input_in: CbIn<f32>,
    words: CbOut<f32>,
    done: CbIn<f32>,
    result: TensorAccessor<f32>,
    #[ttl(common)] count: u32,
) {
    let mut page = input_out.reserve_back(1);
    noc.read_page(&input, 0, &mut page).wait();
    page.push_back();
    let pairs = input_in.wait_front(1);
    for op in 0..OPS {
        let mut page = words.reserve_back(1);
        for i in 0..count {
            let a = f32::from_bits(pairs.read_u32(2 * i));
            let b = f32::from_bits(pairs.read_u32(2 * i + 1));
            let value = if op < 9 {
                arithmetic(op, a, b)
            } else if op == 9 {
                comparisons(a, b)
            } else {
                casts(op, a)
            };
            page.write_u32(i, value);
        }
        page.push_back();
        let page = done.wait_front(1);
        noc.write_page(&result, op, &page).flushed();
    }
}

/// What Rust says, on this machine.
fn expected(op: usize, a: f32, b: f32) -> u32 {
    let bits = |x: f32| if x.is_nan() { NAN } else { x.to_bits() };
    match op {
        0 => bits(a + b),
        1 => bits(a - b),
        2 => bits(a * b),
        3 => bits(a / b),
        4 => bits(-a),
        5 => bits(a.abs()),
        6 => bits((f64::from(a) * f64::from(b)) as f32 + a),
        7 => bits(a * 0.1 - b / 3.0),
        8 => bits(((a + b) * 0.5 + b) / 1.5e-3),
        9 => {
            let all = [a < b, a <= b, a > b, a >= b, a == b, a != b, !(a < b), -a < b];
            all.iter().enumerate().map(|(i, bit)| u32::from(*bit) << i).sum()
        }
        10 => saturated(a, 0.0, 255.0),
        11 => saturated(a, -128.0, 127.0),
        12 => saturated(a, 0.0, 65535.0),
        13 => saturated(a, -32768.0, 32767.0),
        14 => saturated(a, 0.0, 4_294_967_295.0),
        15 => saturated(a, -2_147_483_648.0, 2_147_483_647.0),
        16 => (saturated(a, -2_147_483_648.0, 2_147_483_647.0) as i32 as f64 as f32).to_bits(),
        17 => (f64::from(saturated(a, 0.0, 4_294_967_295.0)) as f32).to_bits(),
        _ => bits(f32::from_bits(a.to_bits().wrapping_add(1))),
    }
}

/// The cast in f64, where nothing rounds.
fn saturated(x: f32, low: f64, high: f64) -> u32 {
    if x.is_nan() { 0 } else { f64::from(x).clamp(low, high).trunc() as i64 as u32 }
}

#[test]
fn arithmetic_comparisons_and_casts() {
    let values: [f32; 22] = [
        0.0,
        -0.0,
        0.5,
        -0.99,
        1.0,
        -1.0,
        1.000_000_1,
        3.3,
        126.99,
        -128.5,
        255.5,
        65535.4,
        -32768.9,
        16_777_217.0,
        2_147_483_520.0,
        2_147_483_648.0,
        -2_147_483_904.0,
        4_294_967_040.0,
        1e30,
        f32::MIN_POSITIVE / 4.0,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let input = pairs(&values.map(f32::to_bits));
    let count = (input.len() / 2) as u32;
    let words = words_from(&input, OPS as usize, |outs, ins, tensors| {
        let ([input_out, words], [input_in, done], [input, result]) = (outs, ins, tensors);
        kernel { input, input_out, input_in, words, done, result, count }
    });
    for (op, page) in words.chunks(PAGE).enumerate() {
        for (pair, word) in input.chunks(2).zip(page) {
            let (a, b) = (f32::from_bits(pair[0]), f32::from_bits(pair[1]));
            assert_eq!(*word, expected(op, a, b), "operation {op} of {a:e} and {b:e}");
        }
    }
}

#[ttl::device]
fn from_integers(a: i32, b: u32, c: i8, d: u16) -> u32 {
    let sum = (a as f32 + 0.5).to_bits() ^ (b as f32).to_bits();
    sum ^ (c as f32).to_bits() ^ (d as f32 / 2.0).to_bits()
}

#[ttl::device]
fn literals(x: f32) -> u32 {
    let tiny = x * 1e-40;
    let minus = -x - -0.0;
    let exact = 16_777_216f32 + x;
    (tiny.to_bits() ^ minus.to_bits()).wrapping_add(exact.to_bits())
}

#[ttl::device]
fn constants() -> u32 {
    let inf = f32::INFINITY > f32::MAX;
    let least = f32::MIN < -3.4e38 && f32::MIN_POSITIVE > 0.0;
    let nan = f32::NAN != f32::NAN;
    inf as u32 + 2 * least as u32 + 4 * nan as u32 + (f32::EPSILON.to_bits() & 0xffff_fff8)
}

#[ttl::device]
fn negative_to_unsigned(x: f32) -> u32 {
    x as u32 + (x as u8) as u32 + (-x) as u32
}

#[ttl::device]
fn through_the_sign(x: f32) -> u32 {
    (x as i32 as u32).wrapping_add(x as u32)
}

table!(words_of_floats {
    from_integers(-7, 4_294_967_295, -128, 65535) => {
        (-6.5f32).to_bits() ^ 4_294_967_296f32.to_bits() ^ (-128f32).to_bits() ^ 32767.5f32.to_bits()
    };
    from_integers(16_777_217, 16_777_219, 127, 1) => {
        16_777_216f32.to_bits() ^ 16_777_220f32.to_bits() ^ 127f32.to_bits() ^ 0.5f32.to_bits()
    };
    literals(1.5) => {
        let minus = (-1.5f32).to_bits();
        ((1.5f32 * 1e-40).to_bits() ^ minus).wrapping_add(16_777_218f32.to_bits())
    };
    constants() => 7 + 0x3400_0000;
    negative_to_unsigned(-3.7) => 3;
    negative_to_unsigned(300.2) => 300 + 255;
    through_the_sign(-3.7) => (-3i32) as u32;
    through_the_sign(3e9) => 3_000_000_000u32.wrapping_add(i32::MAX as u32);
});
