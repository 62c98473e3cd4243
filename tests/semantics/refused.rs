//! References to numbers that ttl cannot follow: refused with the line, never another meaning in C++.

use ttl::prelude::*;

#[ttl::device]
fn change(x: &mut u32) -> u32 {
    *x += 1;
    *x
}

#[ttl::kernel(writer)]
fn pointed_elsewhere(_noc: Noc, words: CbOut<f32>, done: CbIn<f32>) {
    let mut a = 1;
    let mut b = 2;
    let mut r = &mut a;
    *r = 5;
    r = &mut b;
    *r = 6;
    words.reserve_back(1).write_u32(0, a + b);
    done.wait_front(1).pop_front();
}

#[ttl::kernel(writer)]
fn chosen(_noc: Noc, words: CbOut<f32>, done: CbIn<f32>, first: bool) {
    let mut a = 1;
    let mut b = 2;
    let r = if first { &mut a } else { &mut b };
    words.reserve_back(1).write_u32(0, change(r));
    done.wait_front(1).pop_front();
}

#[ttl::kernel(writer)]
fn set_on_two_paths(_noc: Noc, words: CbOut<f32>, done: CbIn<f32>, first: bool) {
    let mut a = 1;
    let mut b = 2;
    let r;
    if first {
        r = &mut a;
    } else {
        r = &mut b;
    }
    *r += 1;
    words.reserve_back(1).write_u32(0, a + b);
    done.wait_front(1).pop_front();
}

/// Two blocks of one buffer end at a time.
#[ttl::kernel(writer)]
fn two_blocks(_noc: Noc, words: CbOut<f32>, done: CbIn<f32>) {
    words.reserve_back(2).push_back();
    let first = done.wait_front(1);
    let second = done.wait_front(2);
    let _ = first.read_u32(0) + second.read_u32(1024);
}

fn refusal<K: ttl::rt::Kernel>(kernel: impl FnOnce(Producer<f32>, Consumer<f32>) -> K) -> String {
    let device = Device::open().expect("a simulated device");
    let mut program = Program::new(K::NAME);
    let (words, done) = program.circular_buffer::<f32>("words", crate::harness::CORE, 2);
    program.kernel(crate::harness::CORE, kernel(words, done));
    let error = program.validate(&device).expect_err("the kernel cannot be written in C++");
    error.to_string()
}

#[test]
fn references_that_change_their_place() {
    let error = refusal(|words, done| pointed_elsewhere { words, done });
    assert!(error.contains("only numbers and plain data can be assigned to"), "{error}");
    assert!(error.contains("tests/semantics/refused.rs:17"), "{error}");
    let error = refusal(|words, done| set_on_two_paths { words, done, first: true.into() });
    assert!(error.contains("only numbers and plain data can be assigned to"), "{error}");
    let error = refusal(|words, done| chosen { words, done, first: true.into() });
    assert!(error.contains("the number that is changed through this reference is not known here"), "{error}");
}

#[test]
fn two_blocks_of_one_end() {
    let error = refusal(|words, done| two_blocks { words, done });
    assert!(error.contains("a second block of `done` is"), "{error}");
    assert!(error.contains("tests/semantics/refused.rs:52"), "{error}");
}
