//! Words, pages and bytes outside of the block that a kernel has: said with the numbers, on the native engine with the line.

use crate::harness::CORE;
use ttl::prelude::*;

#[ttl::kernel(writer)]
fn word_behind(_: Noc, words: CbOut<f32>, done: CbIn<f32>, x: TensorAccessor<f32>, n: u32) {
    words.reserve_back(1).write_u32(n, 5);
    done.wait_front(1).pop_front();
}

#[ttl::kernel(writer)]
fn page_behind(noc: Noc, words: CbOut<f32>, done: CbIn<f32>, x: TensorAccessor<f32>, n: u32) {
    let mut block = words.reserve_back(2);
    let mut reads = noc.read_into(&mut block);
    reads.page(&x, 0, n);
    reads.wait();
    block.push_back();
    done.wait_front(2).pop_front();
}

#[ttl::kernel(writer)]
fn bytes_behind(noc: Noc, words: CbOut<f32>, done: CbIn<f32>, x: TensorAccessor<f32>, n: u32) {
    let mut block = words.reserve_back(1);
    noc.read_page_at(&x, 0, 0, &mut block, n, 64).wait();
    block.push_back();
    done.wait_front(1).pop_front();
}

fn error<K: ttl::rt::Kernel>(kernel: impl FnOnce(Producer<f32>, Consumer<f32>, TensorArg<f32>) -> K) -> String {
    let mut device = Device::open().expect("a simulated device");
    let x = device.zeros::<f32>("x", &[32, 32]).expect("a tensor");
    let mut program = Program::new(K::NAME);
    let (words, done) = program.circular_buffer::<f32>("words", CORE, 2);
    program.kernel(CORE, kernel(words, done, x.accessor()));
    device.run(&program.validate(&device).expect("valid")).expect_err("outside").to_string()
}

#[test]
fn blocks_have_ends() {
    let cases = [
        (
            error(|words, done, x| word_behind { words, done, x, n: 1024.into() }),
            "word 1024 of a block of 1 pages of `words`, which has 1024 words",
            "words count from 0 and have 4 bytes",
        ),
        (
            error(|words, done, x| page_behind { words, done, x, n: 2.into() }),
            "page 2 of a block of 2 pages of `words`",
            "pages of a block count from 0; reserve or wait for more",
        ),
        (
            error(|words, done, x| bytes_behind { words, done, x, n: 4064.into() }),
            "64 bytes from byte 4064 on of a block of 1 pages of `words`, which has 4096 bytes",
            "reserve or wait for more pages, or move less",
        ),
    ];
    for (error, message, help) in cases {
        crate::harness::assert_refused(message, error, message, help, "tests/semantics/outside.rs");
    }
}
