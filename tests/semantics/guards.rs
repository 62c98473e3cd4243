//! Where guards are released. Each case gets two queues with pages 0 to 7, whose first words are their numbers; what it sees, and which pages
//! are at the front afterwards, shows every release that came early, late or never.

use crate::harness::{CORE, page_words};
use ttl::prelude::*;

const LAST: u32 = 7;

#[ttl::device]
fn fill(queue: &CbOut<f32>) {
    for i in 0..=LAST {
        queue.reserve_back(1).write_u32(0, i);
    }
}

/// The number of the page at the front. Empties the queue.
#[ttl::device]
fn drain(queue: &CbIn<f32>) -> u32 {
    let first = queue.wait_front(1).read_u32(0);
    let mut seen = first;
    while seen != LAST {
        seen = queue.wait_front(1).read_u32(0);
    }
    first
}

#[ttl::device]
fn number(page: &Front<f32>) -> u32 {
    page.read_u32(0)
}

#[ttl::device]
fn return_from_loops(a: &CbIn<f32>, b: &CbIn<f32>, wanted: u32) -> u32 {
    for i in 0..3 {
        let page = a.wait_front(1);
        loop {
            let inner = b.wait_front(1);
            let n = number(&inner) + number(&page);
            if n == wanted {
                return n * 10 + i;
            }
            if inner.read_u32(0) > 2 * i {
                break;
            }
        }
    }
    99
}

#[ttl::device]
fn break_and_continue(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    let mut s = 0;
    for i in 0..10u32 {
        let page = a.wait_front(1);
        let n = page.read_u32(0);
        if n == 2 {
            continue;
        }
        let other = b.wait_front(1);
        s = s * 10 + n + other.read_u32(0);
        if n >= 4 {
            break;
        }
        page.pop_front();
        s += i + a.wait_front(1).read_u32(0);
    }
    s
}

#[ttl::device]
fn conditions(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    // The temporary of a condition is gone before the branch.
    let mut s = if a.wait_front(1).read_u32(0) == 0 { a.wait_front(1).read_u32(0) } else { 50 };
    if number(&a.wait_front(1)) + 1 == 9 {
        s += 100;
    } else if a.wait_front(1).read_u32(0) == 3 {
        s += 10 * a.wait_front(1).read_u32(0);
    }
    s = if b.wait_front(1).read_u32(0) < 7 { s + b.wait_front(1).read_u32(0) } else { 0 };
    s
}

#[ttl::device]
fn while_conditions(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    let mut s = 0;
    while a.wait_front(1).read_u32(0) < 4 {
        s = s * 10 + number(&a.wait_front(1));
    }
    while number(&b.wait_front(1)) != 5 {}
    s
}

#[ttl::device]
fn short_circuits(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    // The second operand's temporaries are gone before the branch, and not taken where it is not evaluated.
    let both = a.wait_front(1).read_u32(0) == 0 && b.wait_front(1).read_u32(0) == 0;
    let one = a.wait_front(1).read_u32(0) == 1 || b.wait_front(1).read_u32(0) == 9;
    let mut s = both as u32 + 2 * one as u32;
    if s == 3 && number(&b.wait_front(1)) == 1 && b.wait_front(1).read_u32(0) == 2 {
        s += 10 * b.wait_front(1).read_u32(0);
    }
    while s < 100 && number(&a.wait_front(1)) < 4 {
        s += a.wait_front(1).read_u32(0);
    }
    s
}

#[ttl::device]
fn values_of_blocks(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    let first = {
        let page = a.wait_front(1);
        number(&page) + 1
    };
    let second = {
        let page = a.wait_front(1);
        let n = page.read_u32(0);
        if n == 1 { number(&page) * 2 } else { 9 }
    };
    let third = number(&a.wait_front(1)) + 2 * number(&b.wait_front(1));
    let fourth;
    {
        let page = a.wait_front(1);
        fourth = { number(&page) } + 1;
    }
    first * 1000 + second * 100 + third * 10 + fourth
}

#[ttl::device]
fn value_of_the_function(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    b.wait_front(1).pop_front();
    let page = a.wait_front(1);
    number(&page) + 5 + number(&b.wait_front(1))
}

#[ttl::device]
fn returned_temporaries(a: &CbIn<f32>, b: &CbIn<f32>, early: bool) -> u32 {
    let page = a.wait_front(1);
    if early {
        return number(&b.wait_front(1)) + 1 + page.read_u32(0);
    }
    page.pop_front();
    number(&a.wait_front(1)) + 20
}

#[ttl::device]
fn shadowed_and_moved(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    let page = a.wait_front(1);
    let first = page.read_u32(0);
    // Both are held to the end.
    let page = b.wait_front(1);
    let second = page.read_u32(0);
    let other = page;
    other.pop_front();
    let page = b.wait_front(2);
    let third = page.read_u32(1024);
    let moved = page;
    let _ = moved.read_u32(0);
    first * 100 + second * 10 + third
}

#[ttl::device]
fn dropped_at_once(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    let _ = a.wait_front(3);
    b.wait_front(2);
    let kept = a.wait_front(1);
    let _ = &kept;
    kept.read_u32(0) * 10 + b.wait_front(1).read_u32(0)
}

#[ttl::device]
fn range_bounds(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    let mut s = 0;
    a.wait_front(2).pop_front();
    // What a bound waits for is held through the whole loop.
    for i in 0..a.wait_front(1).read_u32(0) {
        s = s * 10 + i + b.wait_front(1).read_u32(0);
    }
    s
}

#[ttl::device]
fn in_branches(a: &CbIn<f32>, b: &CbIn<f32>, n: u32) -> u32 {
    let page = a.wait_front(1);
    let mut s = page.read_u32(0);
    if n == 1 {
        page.pop_front();
        let next = a.wait_front(1);
        s += next.read_u32(0) * 10;
        if s == 10 {
            return s + 1;
        }
    } else {
        let held = b.wait_front(1);
        s += held.read_u32(0) + 5;
        page.pop_front();
    }
    s + a.wait_front(1).read_u32(0) * 100
}

/// The name stands in the outer block, so the page is released there.
#[ttl::device]
fn set_in_a_block(a: &CbIn<f32>, b: &CbIn<f32>) -> u32 {
    a.wait_front(1).pop_front();
    let page;
    {
        page = a.wait_front(1);
    }
    let other = b.wait_front(1);
    page.read_u32(0)
}

#[ttl::device]
fn set_or_left(a: &CbIn<f32>, b: &CbIn<f32>, n: u32) -> u32 {
    a.wait_front(1).pop_front();
    let page;
    if n == 0 {
        page = a.wait_front(1);
    } else {
        return 5;
    }
    page.read_u32(0) + 20
}

/// A case, between filling the queues and emptying them: the value of the case and the pages then at the fronts.
macro_rules! cases {
    ($kernel:ident $test:ident { $($case:ident($($arg:expr),*) => $value:expr, $front_a:expr, $front_b:expr;)* }) => {
        #[ttl::kernel(writer)]
        fn $kernel(
            noc: Noc,
            a_out: CbOut<f32>,
            a: CbIn<f32>,
            b_out: CbOut<f32>,
            b: CbIn<f32>,
            words: CbOut<f32>,
            done: CbIn<f32>,
            result: TensorAccessor<f32>,
        ) {
            let mut page = words.reserve_back(1);
            let mut at = 0;
            $(
                fill(&a_out);
                fill(&b_out);
                let value = $case(&a, &b $(, $arg)*) * 100;
                let fronts = drain(&a) * 10 + drain(&b);
                page.write_u32(at, value + fronts);
                at += 1;
            )*
            page.push_back();
            let page = done.wait_front(1);
            noc.write_page(&result, 0, &page).flushed();
        }

        #[test]
        fn $test() {
            let ran = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
                let result = device.zeros::<f32>("result", &[32, 32])?;
                let mut program = Program::new("guards");
                let (a_out, a) = program.circular_buffer::<f32>("a", CORE, LAST + 1);
                let (b_out, b) = program.circular_buffer::<f32>("b", CORE, LAST + 1);
                let (words, done) = program.circular_buffer::<f32>("words", CORE, 1);
                let result_to = result.accessor();
                program.kernel(CORE, $kernel { a_out, a, b_out, b, words, done, result: result_to });
                Ok((program, result))
            });
            let (device, result) = ran.unwrap_or_else(|e| panic!("{e}"));
            let expected: &[(&str, u32)] =
                &[$((stringify!($case($($arg),*)), $value * 100 + $front_a * 10 + $front_b)),*];
            for ((what, expected), word) in expected.iter().zip(page_words(&device, &result)) {
                assert_eq!(word, *expected, "{what}: its value, then the pages at the fronts of `a` and `b`");
            }
        }
    };
}

cases!(kernel guards_are_released_where_rust_drops_them {
    return_from_loops(0) => 0, 1, 1;
    return_from_loops(6) => 62, 3, 5;
    return_from_loops(99) => 99, 3, 6;
    break_and_continue() => 207, 6, 3;
    conditions() => 1 + 40 + 1, 5, 2;
    while_conditions() => 13, 5, 6;
    short_circuits() => 36, 5, 4;
    values_of_blocks() => 1000 + 200 + 20 + 4, 4, 1;
    value_of_the_function() => 6, 1, 2;
    returned_temporaries(true) => 1, 1, 1;
    returned_temporaries(false) => 21, 2, 0;
    shadowed_and_moved() => 2, 1, 3;
    dropped_at_once() => 32, 4, 3;
    range_bounds() => 1 + 1 , 3, 2;
    set_in_a_block() => 1, 2, 1;
    set_or_left(0) => 21, 2, 0;
    set_or_left(1) => 5, 1, 0;
    in_branches(1) => 11, 2, 0;
    in_branches(2) => 105, 2, 1;
});
