//! Closures that are given to device functions: what they use, where they are called, what they are called with.

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Step {
    by: u32,
    times: u32,
}

#[ttl::device]
fn twice(f: impl Fn(u32) -> u32, n: u32) -> u32 {
    f(f(n))
}

#[ttl::device]
fn sum(n: u32, of: impl Fn(u32) -> u32) -> u32 {
    let mut sum = 0;
    for i in 0..n {
        sum += of(i);
    }
    sum
}

#[ttl::device]
fn combined<T: ttl::Scalar>(a: T, b: T, first: impl Fn(T, T) -> T, second: impl Fn(T) -> u32) -> u32 {
    second(first(a, b))
}

/// A closure is passed on, and used in another one.
#[ttl::device]
fn nested(f: impl Fn(u32) -> u32, n: u32) -> u32 {
    twice(&f, n) * 1000 + sum(3, |i| f(i) + n)
}

#[ttl::device]
fn on_pairs(f: impl Fn(Step) -> Step, step: Step) -> u32 {
    let Step { by, times } = f(step);
    by * 100 + times
}

#[ttl::device]
fn with_tests(is_good: impl Fn(u32) -> bool, n: u32) -> u32 {
    let mut count = 0;
    let mut i = 0;
    while i < n && !is_good(i) {
        i += 1;
    }
    for k in 0..n {
        if is_good(k) && k % 2 == 0 || k == 1 {
            count += 1;
        }
    }
    i * 100 + count
}

#[ttl::device]
fn nothing(f: impl Fn(u32), n: u32) {
    f(n);
}

#[ttl::device]
fn simple(n: u32) -> u32 {
    twice(|x| x * 2 + 1, n)
}

#[ttl::device]
fn captures(n: u32) -> u32 {
    let offset = n * 3;
    let mut scale = 2;
    let step = Step { by: 5, times: 7 };
    let table = [1u32, 2, 4, 8];
    scale += 1;
    let a = twice(|x| x * scale + offset, 1);
    scale += 10;
    let shown = &step;
    let b = sum(4, |i| table[i as usize] * scale + shown.by);
    let c = sum(3, |i: u32| -> u32 {
        let mut inner = 0;
        for k in 0..=i {
            if k == 1 {
                continue;
            }
            inner += k + step.times;
        }
        inner
    });
    a * 1_000_000 + b * 1000 + c
}

#[ttl::device]
fn generic(n: u32) -> u32 {
    let x = n as f32;
    let a = combined(x, 0.5, |a, b| a * b, |v| (v * 4.0) as u32);
    let b = combined(n, 2, |a, b| a - b, move |v| v + n);
    let c = combined(-3i32, 1, |a, _| a, |v| (v * v) as u32);
    a * 10_000 + b * 100 + c
}

#[ttl::device]
fn structs(n: u32) -> u32 {
    on_pairs(|s| Step { by: s.by + n, ..s }, Step { by: 1, times: 2 })
        + on_pairs(
            |mut s| {
                s.times *= 2;
                s
            },
            Step { by: n, times: 4 },
        )
}

#[ttl::device]
fn effects(n: u32) -> u32 {
    nothing(|x| assert!(x < 100, "x is {}", x), n);
    with_tests(|i| i * i > n, 5)
}

#[ttl::device]
fn order(n: &mut u32) -> u32 {
    *n += 1;
    *n
}

#[ttl::device]
fn in_order() -> u32 {
    let mut n = 0;
    let base = 10;
    let a = sum(order(&mut n), |i| i + base);
    let b = twice(|x| x + base, order(&mut n)) + n;
    a * 100 + b
}

table! { closures {
    simple(3) => 15;
    captures(2) => ((1 * 3 + 6) * 3 + 6) * 1_000_000 + (15 * 13 + 20) * 1000 + (7 + 7 + (7 + 2 + 7));
    generic(6) => 12 * 10_000 + 10 * 100 + 9;
    nested(|x| x + 1, 4) => 6 * 1000 + (1 + 2 + 3 + 12);
    structs(3) => 402 + 308;
    effects(5) => 300 + 2;
    in_order() => 1000 + 24;
} }

/// What a closure uses can be a buffer, a tensor, or what groups them.
#[ttl::device]
struct Target {
    out: CbOut<f32>,
    back: CbIn<f32>,
    result: TensorAccessor<f32>,
    base: u32,
}

#[ttl::device]
fn each(n: u32, f: impl Fn(u32)) {
    for i in 0..n {
        f(i);
    }
}

#[ttl::kernel(writer)]
fn pages(noc: Noc, target: Target) {
    each(3, |i| {
        let mut page = target.out.reserve_back(1);
        page.write_u32(0, i * 10 + target.base);
        page.push_back();
        noc.write_page(&target.result, i, &target.back.wait_front(1)).flushed();
    });
}

#[test]
fn they_use_buffers() {
    let found = crate::harness::words(3, |out, back, result| pages {
        target: TargetHost { out, back, result, base: 7.into() },
    });
    let firsts: Vec<u32> = found.chunks(crate::harness::PAGE).map(|page| page[0]).collect();
    assert_eq!(firsts, [7, 17, 27]);
}
