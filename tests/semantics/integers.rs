//! Integer arithmetic of each width, on every pair of corner values.

use crate::harness::{PAGE, pairs, words_from};
use ttl::prelude::*;

/// What the device code computes, by number; the host says the same with 64-bit arithmetic in [`expected`].
macro_rules! integers {
    ($($t:ident)*) => {$(mod $t {
        use super::*;

        #[ttl::device]
        fn arithmetic(op: u32, a: $t, b: $t) -> u32 {
            // Neither by zero nor the least value by -1.
            let d = if b == 0 || (a == $t::MIN && b.wrapping_add(1) == 0) { 3 } else { b };
            if op == 0 {
                a.wrapping_add(b) as u32
            } else if op == 1 {
                a.wrapping_sub(b) as u32
            } else if op == 2 {
                a.wrapping_mul(b) as u32
            } else if op == 3 {
                a.wrapping_neg() as u32
            } else if op == 4 {
                (a & b) as u32
            } else if op == 5 {
                (a | b) as u32
            } else if op == 6 {
                (a ^ b) as u32
            } else if op == 7 {
                !a as u32
            } else if op == 8 {
                (a / d) as u32
            } else if op == 9 {
                (a % d) as u32
            } else if op == 10 {
                a.min(b) as u32
            } else if op == 11 {
                a.max(b) as u32
            } else if op == 12 {
                // A sum that is not brought back to its type shows in what is made of it.
                (a.wrapping_add(b) / 3) as u32
            } else {
                a.wrapping_mul(b).wrapping_mul(a).wrapping_sub(1) as u32
            }
        }

        #[ttl::device]
        fn shifts(op: u32, a: $t, b: $t) -> u32 {
            let mut c = a;
            if op == 14 {
                a.wrapping_shl(b as u32) as u32
            } else if op == 15 {
                a.wrapping_shr(b as u32) as u32
            } else if op == 16 {
                (a << (b & 7)) as u32
            } else if op == 17 {
                (a >> (b & 7)) as u32
            } else if op == 18 {
                (a << 3) as u32
            } else if op == 19 {
                (a >> 3) as u32
            } else if op == 20 {
                a.wrapping_shl(37) as u32
            } else if op == 21 {
                a.wrapping_shr(37) as u32
            } else if op == 22 {
                c <<= 5;
                c >>= 4u8;
                c as u32
            } else {
                // The sign comes from the type, not from the width of the register.
                (a.wrapping_shl(4) >> 2) as u32
            }
        }

        #[ttl::device]
        fn comparisons(a: $t, b: $t) -> u32 {
            (a < b) as u32
                + ((a <= b) as u32) * 2
                + ((a > b) as u32) * 4
                + ((a >= b) as u32) * 8
                + ((a == b) as u32) * 16
                + ((a != b) as u32) * 32
                + ((a.wrapping_add(b) < a) as u32) * 64
                + ((a.wrapping_sub(b) > a) as u32) * 128
                + ((!a < b) as u32) * 256
        }

        #[ttl::device]
        fn casts(op: u32, a: $t, b: $t) -> u32 {
            if op == 25 {
                a as u8 as u32 + (a as u16 as u32) * 256
            } else if op == 26 {
                a as i8 as u32 ^ (a as i16 as u32).wrapping_shl(8)
            } else if op == 27 {
                a as i32 as u32
            } else if op == 28 {
                (a as f32).to_bits()
            } else {
                // A cast of a wrapped value to a wider signed type.
                a.wrapping_mul(b) as i8 as i32 as u32
            }
        }

        #[ttl::device]
        fn compound(a: $t, b: $t) -> u32 {
            let mut c = a;
            c &= !b;
            c |= 5;
            c ^= b;
            c /= 3;
            c %= 11;
            c -= c / 2;
            c as u32
        }

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
                    let a = pairs.read_u32(2 * i) as $t;
                    let b = pairs.read_u32(2 * i + 1) as $t;
                    let value = if op < 14 {
                        arithmetic(op, a, b)
                    } else if op < 24 {
                        shifts(op, a, b)
                    } else if op == 24 {
                        comparisons(a, b)
                    } else if op < 30 {
                        casts(op, a, b)
                    } else {
                        compound(a, b)
                    };
                    page.write_u32(i, value);
                }
                page.push_back();
                let page = done.wait_front(1);
                noc.write_page(&result, op, &page).flushed();
            }
        }

        #[test]
        fn computes_what_rust_does() {
            let ty = Int { bits: $t::BITS, signed: $t::MIN != 0 };
            let input = pairs(&ty.corners());
            let count = (input.len() / 2) as u32;
            let words = words_from(&input, OPS as usize, |outs, ins, tensors| {
                let ([input_out, words], [input_in, done], [input, result]) = (outs, ins, tensors);
                kernel { input, input_out, input_in, words, done, result, count }
            });
            for (op, page) in words.chunks(PAGE).enumerate() {
                for (pair, word) in input.chunks(2).zip(page) {
                    let (a, b) = (ty.wrap(pair[0].into()), ty.wrap(pair[1].into()));
                    let expected = ty.expected(op as u32, a, b);
                    assert_eq!(*word, expected, "operation {op} of {a} and {b} as {}", stringify!($t));
                }
            }
        }
    })*};
}

const OPS: u32 = 31;

integers!(u8 i8 u16 i16 u32 i32);

/// An integer type, as numbers of 64 bits.
#[derive(Clone, Copy)]
struct Int {
    bits: u32,
    signed: bool,
}

impl Int {
    fn wrap(self, value: i64) -> i64 {
        let up = 64 - self.bits;
        if self.signed { value << up >> up } else { ((value as u64) << up >> up) as i64 }
    }

    /// Values at which something changes: signs, carries, halves.
    fn corners(self) -> Vec<u32> {
        let top = 1i64 << (self.bits - 1);
        let half = 1i64 << (self.bits / 2);
        let values = [0, 1, 2, 3, 7, half - 1, half, top / 2, top - 1, top, top + 1, -3, -2, -1];
        // The bits above the type are ones: the casts in the kernel must drop them.
        values.map(|v| v as u32 | !((2 * (top as u64)).wrapping_sub(1) as u32)).to_vec()
    }

    fn expected(self, op: u32, a: i64, b: i64) -> u32 {
        let least = if self.signed { self.wrap(1 << (self.bits - 1)) } else { 0 };
        let d = if b == 0 || (a == least && self.wrap(b + 1) == 0) { 3 } else { b };
        let shift = |b: i64| (b as u64 & u64::from(self.bits - 1)) as u32;
        let word = |v: i64| self.wrap(v) as u32;
        match op {
            0 => word(a + b),
            1 => word(a - b),
            2 => word(a.wrapping_mul(b)),
            3 => word(-a),
            4 => word(a & b),
            5 => word(a | b),
            6 => word(a ^ b),
            7 => word(!a),
            8 => word(a / d),
            9 => word(a % d),
            10 => word(a.min(b)),
            11 => word(a.max(b)),
            12 => word(self.wrap(a + b) / 3),
            13 => word(a.wrapping_mul(b).wrapping_mul(a).wrapping_sub(1)),
            14 => word(a << shift(b)),
            15 => word(a >> shift(b)),
            16 => word(a << (b & 7)),
            17 => word(a >> (b & 7)),
            18 => word(a << 3),
            19 => word(a >> 3),
            20 => word(a << shift(37)),
            21 => word(a >> shift(37)),
            22 => word(self.wrap(a << 5) >> 4),
            23 => word(self.wrap(a << 4) >> 2),
            24 => {
                let bits = [
                    a < b,
                    a <= b,
                    a > b,
                    a >= b,
                    a == b,
                    a != b,
                    self.wrap(a + b) < a,
                    self.wrap(a - b) > a,
                    self.wrap(!a) < b,
                ];
                bits.iter().enumerate().map(|(i, bit)| u32::from(*bit) << i).sum()
            }
            25 => (a as u32 & 0xff) + (a as u32 & 0xffff) * 256,
            26 => (a as i8 as u32) ^ ((a as i16 as u32) << 8),
            27 => a as u32,
            28 => (a as f32).to_bits(),
            29 => a.wrapping_mul(b) as i8 as i32 as u32,
            _ => {
                let c = self.wrap(((a & !b) | 5) ^ b) / 3 % 11;
                word(c - c / 2)
            }
        }
    }
}

#[ttl::device]
fn absolute(a: i8, b: i16, c: i32) -> u32 {
    a.abs() as u32 + b.abs() as u32 + c.abs() as u32
}

#[ttl::device]
fn minus(a: i8, b: i16, c: i32) -> u32 {
    let a = -a;
    let b = -(-b);
    (-(a as i32) - -c - b as i32) as u32
}

#[ttl::device]
fn promoted(a: u8, b: u8) -> u32 {
    // In C++ both sums are `int`s, and the comparison is one of 256 with 0.
    let wrapped = a.wrapping_add(b) == 0;
    let complement = !a == b;
    let half = a.wrapping_add(b) >> 1;
    wrapped as u32 + 2 * complement as u32 + 4 * half as u32
}

#[ttl::device]
fn mixed_signs(a: i32, b: u32) -> u32 {
    // C++ would compare them as unsigned.
    let below = a < b as i32;
    let above = a as u32 > b;
    below as u32 + 2 * above as u32 + 4 * (a < 1) as u32
}

#[ttl::device]
fn literals(a: u32) -> u32 {
    let big = a < 4_000_000_000;
    let edge = 0x8000_0000 - 1 < a;
    let negative = -2_147_483_648i32 as u32 == a;
    let hex = a ^ 0xffff_ffff;
    big as u32 + 2 * edge as u32 + 4 * negative as u32 + (hex & 0xff00)
}

#[ttl::device]
fn precedence(a: u32, b: u32, c: u32) -> u32 {
    let x = a & b == c & b;
    let y = (a + b * c - (a - b)) / (c - (a - b)) * 2;
    let z = a << 1 ^ b >> 1 | c & !a;
    let w = -(b as i32 - a as i32) * (c as i32 % 4 - 3);
    x as u32 + (y ^ z) * 2 + (w as u32).wrapping_mul(1000)
}

#[ttl::device]
fn booleans(a: bool, b: bool) -> u32 {
    let mut c = a & b;
    c |= a ^ b;
    c ^= !b;
    let d = a < b;
    let e = (a | b) == c;
    c as u32 + 2 * d as u32 + 4 * e as u32 + 8 * (!(a & b) != c) as u32 + 16 * (a as u8 + b as u8) as u32
}

/// The value of [`booleans`], by the same rules in numbers.
fn booleans_expected(a: u32, b: u32) -> u32 {
    let c = ((a & b) | (a ^ b)) ^ (1 - b);
    let d = u32::from(a < b);
    let e = u32::from((a | b) == c);
    c + 2 * d + 4 * e + 8 * u32::from(1 - (a & b) != c) + 16 * (a + b)
}

table!(words_of_integers {
    absolute(-127, -32767, -2147483647) => 127 + 32767 + 2147483647;
    absolute(5, 0, 6) => 11;
    minus(-5, 7, 9) => (-5i32 + 9 - 7) as u32;
    promoted(200, 56) => 1;
    promoted(200, 55) => 2 + 4 * 127;
    promoted(255, 255) => 4 * 127;
    mixed_signs(-1, 1) => 1 + 2 + 4;
    mixed_signs(1, 0xffff_ffff) => 0;
    literals(0x8000_0000) => 1 + 2 + 4 + 0xff00;
    literals(4_000_000_000) => 2 + (!4_000_000_000u32 & 0xff00);
    precedence(5, 3, 6) => (10 ^ 11) * 2 + 2000u32.wrapping_neg();
    booleans(false, false) => booleans_expected(0, 0);
    booleans(false, true) => booleans_expected(0, 1);
    booleans(true, false) => booleans_expected(1, 0);
    booleans(true, true) => booleans_expected(1, 1);
});
