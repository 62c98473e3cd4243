//! Where guards are released. Each case gets a queue with pages 0 to 7, whose first words are their numbers; what it sees, and which page is
//! at the front afterwards, shows every release that came early, late or never.

use crate::harness::CORE;
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
fn return_from_loops(queue: &CbIn<f32>, wanted: u32) -> u32 {
    for i in 0..3 {
        let a = queue.wait_front(1);
        loop {
            let b = number(&a);
            if b == wanted {
                return b * 10 + i;
            }
            let _c = queue.wait_front(1);
            if b < 9 {
                break;
            }
        }
    }
    99
}

#[ttl::device]
fn break_and_continue(queue: &CbIn<f32>) -> u32 {
    let mut s = 0;
    for i in 0..10u32 {
        let page = queue.wait_front(1);
        let n = page.read_u32(0);
        if n == 1 {
            continue;
        }
        let again = queue.wait_front(1).read_u32(0);
        s = s * 10 + n + again;
        if n >= 4 {
            break;
        }
        page.pop_front();
        s += i;
    }
    s
}

#[ttl::device]
fn conditions(queue: &CbIn<f32>) -> u32 {
    // The temporary of a condition is gone before the branch.
    let mut s = if queue.wait_front(1).read_u32(0) == 0 { queue.wait_front(1).read_u32(0) } else { 50 };
    if queue.wait_front(1).read_u32(0) == 9 {
        s += 100;
    } else if queue.wait_front(1).read_u32(0) == 3 {
        s += 10 * queue.wait_front(1).read_u32(0);
    }
    s
}

#[ttl::device]
fn while_conditions(queue: &CbIn<f32>) -> u32 {
    let mut s = 0;
    while queue.wait_front(1).read_u32(0) < 4 {
        s = s * 10 + number(&queue.wait_front(1));
    }
    s
}

#[ttl::device]
fn short_circuits(queue: &CbIn<f32>) -> u32 {
    // The first operand's temporary lives to the end of the statement, the second one's to the end of the operand.
    let both = queue.wait_front(1).read_u32(0) == 0 && queue.wait_front(1).read_u32(0) == 0;
    let one = queue.wait_front(1).read_u32(0) == 2 || queue.wait_front(1).read_u32(0) == 9;
    let mut s = both as u32 + 2 * one as u32;
    if queue.wait_front(1).read_u32(0) == 3 && number(&queue.wait_front(1)) == 3 {
        s += 10 * queue.wait_front(1).read_u32(0);
    }
    s
}

#[ttl::device]
fn values_of_blocks(queue: &CbIn<f32>) -> u32 {
    let a = {
        let page = queue.wait_front(1);
        number(&page) + 1
    };
    let b = {
        let page = queue.wait_front(1);
        let n = page.read_u32(0);
        if n == 1 { number(&page) * 2 } else { 9 }
    };
    let c = number(&queue.wait_front(1)) + 2 * number(&queue.wait_front(1));
    let d;
    {
        let page = queue.wait_front(1);
        d = { number(&page) } + 1;
    }
    a * 1000 + b * 100 + c * 10 + d
}

#[ttl::device]
fn value_of_the_function(queue: &CbIn<f32>) -> u32 {
    let page = queue.wait_front(1);
    number(&page) + 5 + number(&queue.wait_front(1))
}

#[ttl::device]
fn returned_temporaries(queue: &CbIn<f32>, early: bool) -> u32 {
    let page = queue.wait_front(1);
    if early {
        return number(&queue.wait_front(1)) + 1 + page.read_u32(0);
    }
    page.pop_front();
    number(&queue.wait_front(1)) + 20
}

#[ttl::device]
fn shadowed_and_moved(queue: &CbIn<f32>) -> u32 {
    let page = queue.wait_front(1);
    let a = page.read_u32(0);
    let page = queue.wait_front(1);
    let b = page.read_u32(0);
    let other = page;
    other.pop_front();
    let page = queue.wait_front(2);
    let c = page.read_u32(1024);
    let _ = queue.wait_front(3);
    a * 100 + b * 10 + c
}

#[ttl::device]
fn range_bounds(queue: &CbIn<f32>) -> u32 {
    let mut s = 0;
    queue.wait_front(2).pop_front();
    // What a bound waits for is held through the whole loop.
    for i in 0..queue.wait_front(1).read_u32(0) {
        s = s * 10 + i + queue.wait_front(1).read_u32(0);
    }
    s
}

#[ttl::device]
fn in_branches(queue: &CbIn<f32>, n: u32) -> u32 {
    let page = queue.wait_front(1);
    let mut s = page.read_u32(0);
    if n == 1 {
        page.pop_front();
        let next = queue.wait_front(1);
        s += next.read_u32(0) * 10;
        if s == 10 {
            return s + 1;
        }
    } else {
        let held = queue.wait_front(1);
        s += held.read_u32(0) + 5;
        page.pop_front();
    }
    s + queue.wait_front(1).read_u32(0) * 100
}

/// A case, between filling the queue and emptying it: the value of the case and the page then at the front.
macro_rules! cases {
    ($kernel:ident $test:ident { $($case:ident($($arg:expr),*) => $value:expr, $front:expr;)* }) => {
        #[ttl::kernel(writer)]
        fn $kernel(
            noc: Noc,
            queue_out: CbOut<f32>,
            queue: CbIn<f32>,
            words: CbOut<f32>,
            done: CbIn<f32>,
            result: TensorAccessor<f32>,
        ) {
            let mut page = words.reserve_back(1);
            let mut at = 0;
            $(
                fill(&queue_out);
                let value = $case(&queue $(, $arg)*);
                page.write_u32(at, value * 10 + drain(&queue));
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
                let (queue_out, queue) = program.circular_buffer::<f32>("queue", CORE, LAST + 1);
                let (words, done) = program.circular_buffer::<f32>("words", CORE, 1);
                program.kernel(CORE, $kernel { queue_out, queue, words, done, result: result.accessor() });
                Ok((program, result))
            });
            let (device, result) = ran.unwrap_or_else(|e| panic!("{e}"));
            let bytes = device.pages(&result.handle()).expect("the tensor is on this device");
            let expected: &[(&str, u32, u32)] = &[$((stringify!($case($($arg),*)), $value, $front)),*];
            for ((what, value, front), word) in expected.iter().zip(bytes.chunks(4)) {
                let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                assert_eq!((word / 10, word % 10), (*value, *front), "{what}: its value and the page at the front");
            }
        }
    };
}

cases!(kernel guards_are_released_where_rust_drops_them {
    return_from_loops(0) => 0, 1;
    return_from_loops(4) => 42, 5;
    return_from_loops(9) => 99, 6;
    break_and_continue() => (((0 * 10 + 0) + 0) * 10 + 3 + 4) , 5;
    conditions() => 1 + 40, 5;
    while_conditions() => 13, 5;
    short_circuits() => 1 + 2 + 50, 6;
    values_of_blocks() => 1000 + 200 + 60 + 5, 5;
    value_of_the_function() => 5, 2;
    returned_temporaries(true) => 1, 2;
    returned_temporaries(false) => 21, 2;
    shadowed_and_moved() => 2, 7;
    range_bounds() => 24, 5;
    in_branches(1) => 11, 2;
    in_branches(2) => 205, 3;
});
