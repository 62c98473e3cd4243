//! `div_ceil` of each unsigned type, on every pair of corner values; sizes made with it.

use crate::harness::{PAGE, pairs, words_from};
use ttl::prelude::*;

const TILES: u32 = 100;
const BLOCKS: u32 = 7;

macro_rules! unsigned {
    ($($t:ident)*) => {$(mod $t {
        use super::*;

        #[ttl::device]
        fn parts(op: u32, a: $t, b: $t) -> u32 {
            let d = if b == 0 { 3 } else { b };
            if op == 0 {
                a.div_ceil(d) as u32
            } else if op == 1 {
                a.div_ceil(4) as u32
            } else if op == 2 {
                // What is divided stands on another call, and is needed twice.
                let mut rounds = 0u32;
                for _ in 0..(a & 15).div_ceil(d) {
                    rounds += 1;
                }
                rounds
            } else {
                (a as u32).min(9) + TILES.div_ceil(BLOCKS)
            }
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
                    let value = if op == 4 {
                        pairs.read_u32(2 * i).div_ceil(pairs.read_u32(2 * i + 1) | 1)
                    } else {
                        parts(op, pairs.read_u32(2 * i) as $t, pairs.read_u32(2 * i + 1) as $t)
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
            let top = 1u32 << ($t::BITS - 1);
            let input = pairs(&[0, 1, 2, 3, 4, 5, 7, top - 1, top, top + 1, !0 - 2, !0 - 1, !0]);
            let count = (input.len() / 2) as u32;
            let words = words_from(&input, OPS as usize, |outs, ins, tensors| {
                let ([input_out, words], [input_in, done], [input, result]) = (outs, ins, tensors);
                kernel { input, input_out, input_in, words, done, result, count }
            });
            for (op, page) in words.chunks(PAGE).enumerate() {
                for (pair, word) in input.chunks(2).zip(page) {
                    let (a, b) = (pair[0] as $t, pair[1] as $t);
                    let d = if b == 0 { 3 } else { b };
                    let expected = match op {
                        0 => a.div_ceil(d) as u32,
                        1 => a.div_ceil(4) as u32,
                        2 => (a & 15).div_ceil(d) as u32,
                        3 => (a as u32).min(9) + 15,
                        _ => pair[0].div_ceil(pair[1] | 1),
                    };
                    assert_eq!(*word, expected, "operation {op} of {a} and {b} as {}", stringify!($t));
                }
            }
        }
    })*};
}

const OPS: u32 = 5;

unsigned!(u8 u16 u32);
