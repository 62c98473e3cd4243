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

/// The size is known at run time only.
#[ttl::kernel(compute)]
fn large_sum(c: Compute, x: CbIn<bf16>, y: CbOut<bf16>, n: u32) {
    let x = x.wait_front(n);
    let mut sum = c.zeros(n, 1);
    sum += x.block(n, 1);
    y.reserve_back(n).store(sum);
}

#[ttl::kernel(compute)]
fn large_block(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>, n: u32) {
    let x = x.wait_front(n);
    y.reserve_back(n).store(x.block(n, 2));
}

#[ttl::kernel(compute)]
fn large_result(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>, n: u32) {
    let x = x.wait_front(n);
    y.reserve_back(n + 1).store(&x);
}

#[ttl::kernel(reader)]
fn fill(_: Noc, x: CbOut<bf16>, n: u32) {
    x.reserve_back(n).push_back();
}

#[ttl::kernel(writer)]
fn drain(_: Noc, y: CbIn<bf16>, n: u32) {
    y.wait_front(n).pop_front();
}

fn error_of_tiles<K: ttl::rt::Kernel>(n: u32, kernel: impl FnOnce(Consumer<bf16>, Producer<bf16>) -> K) -> String {
    let mut device = Device::open().expect("a simulated device");
    let mut program = Program::new(K::NAME);
    let (x_out, x) = program.circular_buffer::<bf16>("x", CORE, 32);
    let (y, y_in) = program.circular_buffer::<bf16>("y", CORE, 32);
    program.kernel(CORE, fill { x: x_out, n: n.into() });
    program.kernel(CORE, kernel(x, y));
    program.kernel(CORE, drain { y: y_in, n: n.into() });
    device.run(&program.validate(&device).expect("valid")).expect_err("outside").to_string()
}

#[test]
fn blocks_have_their_sizes() {
    let cases = [
        (
            error_of_tiles(20, |x, y| large_sum { x, y, n: 20.into() }),
            "an accumulator of 20 tiles does not fit the tile registers: 8 tiles of 1 registers each do",
            "use a smaller block, or make its sizes constants or const generics",
        ),
        (
            error_of_tiles(3, |x, y| large_block { x, y, n: 3.into() }),
            "a block of 3x2 tiles is made of 3 waited tiles",
            "wait for as many tiles as the block has",
        ),
        (
            error_of_tiles(3, |x, y| large_result { x, y, n: 3.into() }),
            "x has 3 tiles, the block reserved in y has 4",
            "reserve as many pages as the expression has tiles",
        ),
    ];
    for (error, message, help) in cases {
        crate::harness::assert_refused(message, error, message, help, "tests/semantics/outside.rs");
    }
}

#[ttl::kernel(writer)]
fn entry_behind(_: Noc, words: CbOut<f32>, done: CbIn<f32>, table: Words, n: u32) {
    words.reserve_back(1).write_u32(0, table.get(n));
    done.wait_front(1).pop_front();
}

#[test]
fn tables_have_ends() {
    let error = error(|words, done, _| entry_behind { words, done, table: per_core(|_| vec![5, 6, 7]), n: 3.into() });
    let message = "entry 3 of a table of 3 argument words";
    let help = "entries count from 0; the host decides how many there are";
    crate::harness::assert_refused("entry_behind", error, message, help, "tests/semantics/outside.rs");
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
