//! Numbers and plain data that Rust has and the device does not, or that ttl does not follow.

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Square { side: u32 },
    Dot(u32),
    Empty,
}

use Shape::Dot as Point;
use Shape::Square;

/// With operators of its own.
#[ttl::device]
#[derive(Clone, Copy)]
struct Pair {
    x: u32,
    y: u32,
}

impl PartialEq for Pair {
    fn eq(&self, other: &Pair) -> bool {
        self.x == other.x
    }
}

impl std::ops::Add for Pair {
    type Output = Pair;
    fn add(self, other: Pair) -> Pair {
        Pair { x: self.x + other.x, y: self.y }
    }
}

impl std::ops::AddAssign for Pair {
    fn add_assign(&mut self, other: Pair) {
        self.x += other.x;
    }
}

impl std::ops::Neg for Pair {
    type Output = Pair;
    fn neg(self) -> Pair {
        Pair { x: self.y, y: self.x }
    }
}

impl std::ops::Not for Pair {
    type Output = Pair;
    fn not(self) -> Pair {
        self
    }
}

#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    of: u32,
}

const FAR: usize = 1 << 33;
const FARS: [usize; 2] = [2, 1 << 34];
const NONE: usize = 0;

#[ttl::device]
fn length<const N: usize>() -> u32 {
    let words = [1u32; N];
    words.len() as u32
}

#[ttl::device]
fn element<const I: usize>(n: u32) -> u32 {
    let words = [n, n, n];
    words[I]
}

#[ttl::device]
fn divided<const N: u32>(n: u32) -> u32 {
    n / N
}

#[ttl::device]
fn shifted<const N: u32>(n: u32) -> u32 {
    n << N
}

refusals! {
    numbers: writer (noc: Noc, words: CbOut<f32>, done: CbIn<f32>, n: u32, first: bool) {
        too_many_bits {
            let i = n as usize * n as usize;
            words.reserve_back(1).write_u32(0, i as u32);
            done.wait_front(1).pop_front();
        } => "this `usize` could leave the 32 bits that it has on the device",
            "compute with `u32` and index with `a[i as usize]`";
        signed_index {
            let table = [n, n];
            let i = n as i32;
            words.reserve_back(1).write_u32(0, table[i as usize]);
            done.wait_front(1).pop_front();
        } => "a `i32` cannot become a `usize` in a kernel", "a negative one would need 64 bits: cast to `u32` first";
        large_constant {
            words.reserve_back(1).write_u32(0, FAR as u32);
            done.wait_front(1).pop_front();
        } => "8589934592 is too large for the device", "a `usize` has 32 bits there";
        large_element {
            for _ in 0..FARS[1] {
                words.reserve_back(1).write_u32(0, n);
                done.wait_front(1).pop_front();
            }
        } => "17179869184 is too large for the device", "a `usize` has 32 bits there";
        large_literal {
            let end: usize = 5_000_000_000;
            words.reserve_back(1).write_u32(0, (end / 1000) as u32);
            done.wait_front(1).pop_front();
        } => "5000000000 is too large for the device", "a `usize` has 32 bits there";
        by_zero {
            words.reserve_back(1).write_u32(0, divided::<0>(n));
            done.wait_front(1).pop_front();
        } => "a division by 0, which is a constant here", "check the constant or const generic that it comes from";
        too_far {
            words.reserve_back(1).write_u32(0, shifted::<32>(n));
            done.wait_front(1).pop_front();
        } => "a `u32` is shifted by 32 bits, it has 32", "shift by less, or use `wrapping_shl` and `wrapping_shr`";
        minimum {
            words.reserve_back(1).write_u32(0, (n as f32).min(2.0) as u32);
            done.wait_front(1).pop_front();
        } => "`f32::min` is not supported in a kernel", "its meaning for NaN differs between Rust and C++";
        root {
            words.reserve_back(1).write_u32(0, (n as f32).sqrt() as u32);
            done.wait_front(1).pop_front();
        } => "`f32` has no method `sqrt` in a kernel", "use operators, `min`, `max` or the `wrapping_` methods";
        no_value {
            let _ = ().max(());
            words.reserve_back(1).write_u32(0, n);
            done.wait_front(1).pop_front();
        } => "nothing has no method `max` in a kernel", "see the methods of the device API";
        computed_message {
            words.reserve_back(1).push_back();
            let block = done.wait_front(1);
            assert!(n < 5, "{}", block.read_u32(0));
        } => "the message of this assertion has a value that must be computed before", "give it a variable";
    }
}

refusals! {
    loops: writer (noc: Noc, words: CbOut<f32>, done: CbIn<f32>, n: u32, first: bool) {
        twice_turned {
            for i in (0..8u32).rev().step_by(2).rev() {
                words.reserve_back(1).write_u32(0, i);
                done.wait_front(1).pop_front();
            }
        } => "a range takes at most one `rev()` and one `step_by()` in a kernel",
            "combine the adapters, or compute the index in the loop";
        no_step {
            for i in (0..8u32).step_by(0) {
                words.reserve_back(1).write_u32(0, i);
                done.wait_front(1).pop_front();
            }
        } => "`step_by(0)` never ends", "use a step of at least 1";
        no_named_step {
            for i in (0..8u32).step_by(NONE) {
                words.reserve_back(1).write_u32(0, i);
                done.wait_front(1).pop_front();
            }
        } => "`step_by(0)` never ends", "use a step of at least 1";
        over_an_option {
            for x in Some(n) {
                words.reserve_back(1).write_u32(0, x);
                done.wait_front(1).pop_front();
            }
        } => "a `for` cannot run over `Option<u32>`", "use a range or an array";
    }
}

refusals! {
    structs_and_arrays: writer (noc: Noc, words: CbOut<f32>, done: CbIn<f32>, n: u32, first: bool) {
        empty {
            let none: [u32; 0] = [];
            words.reserve_back(1).write_u32(0, none.len() as u32);
            done.wait_front(1).pop_front();
        } => "an array without elements, which C++ does not have", "leave it out, or give it one element";
        empty_by_size {
            words.reserve_back(1).write_u32(0, length::<0>());
            done.wait_front(1).pop_front();
        } => "an array without elements, which C++ does not have", "leave it out, or give it one element";
        behind_the_end {
            words.reserve_back(1).write_u32(0, element::<3>(n));
            done.wait_front(1).pop_front();
        } => "index out of bounds: the length is 3 but the index is 3",
            "indices of an array begin at 0 and end before its length";
        own_equality {
            let same = Pair { x: n, y: 1 } == Pair { x: 1, y: n };
            words.reserve_back(1).write_u32(0, same as u32);
            done.wait_front(1).pop_front();
        } => "two `Pair` cannot be compared in a kernel", "`==` works with `#[derive(PartialEq)]`";
        long_arrays {
            let same = [n; 17] == [1; 17];
            words.reserve_back(1).write_u32(0, same as u32);
            done.wait_front(1).pop_front();
        } => "two `[u32; 17]` cannot be compared in a kernel", "compare their elements in a loop";
        order {
            let less = Rank { of: n } < Rank { of: 2 };
            words.reserve_back(1).write_u32(0, less as u32);
            done.wait_front(1).pop_front();
        } => "two `Rank` cannot be compared in a kernel", "or use `match` and compare numbers";
        highest {
            let rank = Rank { of: n }.max(Rank { of: 2 });
            words.reserve_back(1).write_u32(0, rank.of);
            done.wait_front(1).pop_front();
        } => "`Rank` has no method `max` in a kernel", "write a method of your own, with `#[ttl::device]` on its `impl`";
        own_sum {
            let sum = Pair { x: n, y: 1 } + Pair { x: 1, y: n };
            words.reserve_back(1).write_u32(0, sum.x);
            done.wait_front(1).pop_front();
        } => "an operator of your own type `Pair` is used in a kernel", "write a method and call it";
        own_assignment {
            let mut sum = Pair { x: n, y: 1 };
            sum += Pair { x: 1, y: n };
            words.reserve_back(1).write_u32(0, sum.x);
            done.wait_front(1).pop_front();
        } => "an operator of your own type `Pair` is used in a kernel", "write a method and call it";
        own_minus {
            let turned = -Pair { x: n, y: 1 };
            words.reserve_back(1).write_u32(0, turned.x);
            done.wait_front(1).pop_front();
        } => "an operator of your own type `Pair` is used in a kernel", "write a method and call it";
        own_not {
            let turned = !Pair { x: n, y: 1 };
            words.reserve_back(1).write_u32(0, turned.x);
            done.wait_front(1).pop_front();
        } => "an operator of your own type `Pair` is used in a kernel", "write a method and call it";
        renamed_variant {
            let shape = if first { Shape::Dot(n) } else { Shape::Empty };
            let value = match shape { Point(x) => x, _ => 0 };
            words.reserve_back(1).write_u32(0, value);
            done.wait_front(1).pop_front();
        } => "`Point` is not seen as a variant of `Shape`",
            "write a variant as `Enum::Variant`, by the names that the enum gives them";
        pattern_without_its_enum {
            let shape = if first { Shape::Square { side: n } } else { Shape::Empty };
            let value = match shape { Square { side } => side, _ => 0 };
            words.reserve_back(1).write_u32(0, value);
            done.wait_front(1).pop_front();
        } => "this does not say which variant of `Shape` it is", "write `Enum::Variant { .. }`, with the name of the enum";
        value_without_its_enum {
            let shape = Square { side: n };
            let value = match shape { Shape::Square { side } => side, _ => 0 };
            words.reserve_back(1).write_u32(0, value);
            done.wait_front(1).pop_front();
        } => "this does not say which variant of `Shape` it is", "write `Enum::Variant { .. }`, with the name of the enum";
    }
}
