//! References and guards that ttl cannot follow: refused with the line, never another meaning in C++.

use crate::harness::refusal;
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

#[test]
fn references_that_change_their_place() {
    let error = refusal(|words, done, _| pointed_elsewhere { words, done });
    assert!(error.contains("only numbers and plain data can be assigned to"), "{error}");
    assert!(error.contains("tests/semantics/refused.rs:18"), "{error}");
    let error = refusal(|words, done, _| set_on_two_paths { words, done, first: true.into() });
    assert!(error.contains("only numbers and plain data can be assigned to"), "{error}");
    let error = refusal(|words, done, _| chosen { words, done, first: true.into() });
    assert!(error.contains("the number that is changed through this reference is not known here"), "{error}");
}

#[test]
fn two_blocks_of_one_end() {
    let error = refusal(|words, done, _| two_blocks { words, done });
    assert!(error.contains("a second block of `done` is waited for while the one of line 52 is still held"), "{error}");
    assert!(error.contains("tests/semantics/refused.rs:53"), "{error}");
}

#[ttl::device]
fn apply(f: impl Fn(u32) -> u32, n: u32) -> u32 {
    f(n)
}

#[ttl::device]
struct Ends {
    out: CbOut<f32>,
    back: CbIn<f32>,
}

#[ttl::device]
fn by_value(block: Front<f32>) -> u32 {
    let word = block.read_u32(0);
    block.pop_front();
    word
}

#[ttl::device]
fn lent(x: &u32) -> &u32 {
    x
}

#[ttl::device]
fn next(back: &CbIn<f32>) -> Front<f32> {
    back.wait_front(1)
}

#[ttl::device]
fn end(back: CbIn<f32>) -> CbIn<f32> {
    back
}

refusals! {
    guards: writer (noc: Noc, words: CbOut<f32>, done: CbIn<f32>, n: u32, first: bool) {
        guard_in_closure {
            words.reserve_back(1).push_back();
            let block = done.wait_front(1);
            words.reserve_back(1).write_u32(0, apply(|i| block.read_u32(i), n));
        } => "`block` is a guard and cannot be used in a closure",
            "read what is needed before the call, and use the number in the closure";
        chosen_by_if {
            words.reserve_back(1).push_back();
            let end = if first { &done } else { &done };
            end.wait_front(1).pop_front();
        } => "a branch of `if` gives the consumer end of a circular buffer, which C++ cannot choose",
            "use the value inside the branches, or choose between numbers";
        chosen_by_match {
            words.reserve_back(1).push_back();
            let block = match n { 0 => done.wait_front(1), _ => done.wait_front(1) };
            block.pop_front();
        } => "a branch of `match` gives a guard, which C++ cannot choose",
            "use the value inside the branches, or choose between numbers";
        set_in_two_branches {
            words.reserve_back(1).push_back();
            let block;
            if first {
                block = done.wait_front(1);
            } else {
                block = done.wait_front(1);
            }
            block.pop_front();
        } => "only numbers and plain data can be assigned to",
            "bind references, buffers, guards and tile expressions with a new `let`";
        matched {
            words.reserve_back(1).push_back();
            match done.wait_front(1) {
                block => block.pop_front(),
            }
        } => "a guard cannot be matched with patterns", "give it a name with `let`, and use its methods";
        given_away {
            words.reserve_back(1).push_back();
            words.reserve_back(1).write_u32(0, by_value(done.wait_front(1)));
        } => "a `Front<f32>` cannot be passed by value to a device function", "pass it by reference";
        reference_returned {
            words.reserve_back(1).write_u32(0, *lent(&n));
            done.wait_front(1).pop_front();
        } => "a device function cannot return a `&u32`", "return the value, or the index of what you mean";
        guard_returned {
            words.reserve_back(1).push_back();
            next(&done).pop_front();
        } => "a device function cannot return a `Front<f32>`", "make it where it is used, and pass it on by reference";
        end_returned {
            words.reserve_back(1).push_back();
            end(done).wait_front(1).pop_front();
        } => "a device function cannot return a `CbIn<f32>`", "make it where it is used, and pass it on by reference";
    }
}

#[ttl::device]
fn same(ends: Ends) -> Ends {
    ends
}

#[ttl::kernel(writer)]
fn group_returned(_noc: Noc, ends: Ends) {
    let ends = same(ends);
    ends.out.reserve_back(1).push_back();
    ends.back.wait_front(1).pop_front();
}

#[test]
fn a_group_of_parameters_is_not_returned() {
    let error = refusal(|out, back, _| group_returned { ends: EndsHost { out, back } });
    let help = "pass it on by reference, and return numbers";
    crate::harness::assert_refused(
        "group_returned",
        error,
        "a device function cannot return a `Ends`",
        help,
        "tests/semantics/refused.rs",
    );
}
