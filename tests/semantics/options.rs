//! `Option` of plain data, and structs whose fields have no names: built, matched, copied, as arguments and constants.

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy, PartialEq)]
struct Pair(u32, u8);

#[ttl::device]
#[derive(Clone, Copy, PartialEq)]
struct Wrapped<T: ttl::Data>(T);

#[ttl::device]
#[derive(Clone, Copy)]
struct Nested(Pair, Option<u32>);

const SEED: Pair = Pair(7, 250);
const NOTHING: Option<u32> = None;
const THREE: Option<u32> = Some(3);

#[ttl::device]
impl Pair {
    fn sum(&self) -> u32 {
        let Pair(a, b) = *self;
        a + b as u32
    }

    fn swapped(self) -> Self {
        Self(self.1 as u32, self.0 as u8)
    }
}

#[ttl::device]
fn half(n: u32) -> Option<u32> {
    if n % 2 == 0 { Some(n / 2) } else { None }
}

#[ttl::device]
fn changed(n: &mut u32) -> u32 {
    *n += 1;
    *n
}

#[ttl::device]
fn by_if_let(n: u32) -> u32 {
    if let Some(x) = half(n) { 100 + x } else { 7 }
}

#[ttl::device]
fn by_match(o: Option<u32>) -> u32 {
    match o {
        None => 1,
        Some(0) => 2,
        Some(x) if x > 10 => 1000 + x,
        Some(x) => x,
    }
}

#[ttl::device]
fn by_let_else(n: u32) -> u32 {
    let Some(x) = half(n) else {
        return 99;
    };
    x * 3
}

#[ttl::device]
fn last_even(a: &[u32; 4]) -> Option<u32> {
    let mut found = None;
    for x in a {
        if half(*x).is_some() {
            found = Some(*x);
        }
    }
    found
}

#[ttl::device]
fn through_references(n: u32) -> u32 {
    let mut o = half(n);
    if let Some(x) = &mut o {
        *x += 40;
    }
    let seen = if let Some(x) = &o { *x } else { 5 };
    let copy = o;
    o = None;
    seen * 100 + copy.unwrap_or(3) + o.is_none() as u32
}

#[ttl::device]
fn evaluated(n: u32) -> u32 {
    let mut n = n;
    // The default is evaluated in any case, after the value.
    let a = Some(n).unwrap_or(changed(&mut n));
    let b = NOTHING.unwrap_or(changed(&mut n));
    a * 10_000 + b * 100 + n
}

#[ttl::device]
fn nested(n: u32) -> u32 {
    let mut value = Nested(SEED, half(n));
    value.0.0 += 1;
    (value.0).1 -= 50;
    let Nested(Pair(a, b), inner) = value;
    let deep: Option<Option<u8>> = if n > 4 { Some(None) } else { Some(Some(n as u8)) };
    let what = match deep {
        None => 1,
        Some(None) => 2,
        Some(Some(x)) => 30 + x as u32,
    };
    a * 100_000 + b as u32 * 100 + inner.unwrap_or(9) + what * 1_000_000
}

#[ttl::device]
fn compared(n: u32) -> u32 {
    (half(n) == THREE) as u32 + ((half(n) == NOTHING) as u32) * 10 + ((Pair(n, 3) == Pair(6, 3)) as u32) * 100
}

#[ttl::device]
fn wrapped(n: u32) -> u32 {
    let w = Wrapped(Some(Pair(n, 2)));
    let v = Wrapped(1.5f32);
    match w {
        Wrapped(Some(p)) => p.sum() * 10 + (v.0 * 2.0) as u32,
        Wrapped(None) => 0,
    }
}

table! { optional {
    by_if_let(6) => 103;
    by_if_let(7) => 7;
    by_match(None) + by_match(Some(0)) * 10 + by_match(Some(4)) * 100 => 1 + 20 + 400;
    by_match(Some(11)) => 1011;
    by_let_else(8) * 1000 + by_let_else(3) => 12_099;
    last_even(&[1, 6, 3, 5]).unwrap_or(0) * 10 + last_even(&[1, 3, 5, 7]).is_none() as u32 => 61;
    through_references(4) => 42 * 100 + 42 + 1;
    through_references(5) => 5 * 100 + 3 + 1;
    evaluated(1) => 10_000 + 300 + 3;
    nested(6) => 2_000_000 + 800_000 + 20_000 + 3;
    nested(3) => 33_000_000 + 800_000 + 20_000 + 9;
    compared(6) => 101;
    compared(5) => 10;
    wrapped(3) => 53;
    SEED.swapped().sum() => 257;
} }

#[ttl::kernel(writer)]
fn given(
    noc: Noc,
    words: CbOut<f32>,
    done: CbIn<f32>,
    result: TensorAccessor<f32>,
    first: Option<u32>,
    #[ttl(common)] second: Option<Pair>,
    #[ttl(compile_time)] third: Pair,
) {
    let mut page = words.reserve_back(1);
    page.write_u32(0, first.unwrap_or(5));
    page.write_u32(1, if let Some(Pair(a, b)) = second { a + b as u32 } else { 1 });
    page.write_u32(2, third.0 * 10 + third.1 as u32);
    page.push_back();
    noc.write_page(&result, 0, &done.wait_front(1)).flushed();
}

#[test]
fn they_are_arguments() {
    for (first, second) in [(None, Some(Pair(3, 4))), (Some(8), None)] {
        let found = crate::harness::words(1, |words, done, result| given {
            words,
            done,
            result,
            first: first.into(),
            second,
            third: Pair(4, 2),
        });
        let expected = [first.unwrap_or(5), second.map_or(1, |p| p.0 + u32::from(p.1)), 42];
        assert_eq!(found[..3], expected);
    }
}
