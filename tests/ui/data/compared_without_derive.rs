#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
enum Mode {
    Slow,
    Fast,
}

#[ttl::device]
fn is_slow(mode: Mode) -> bool {
    mode == Mode::Slow
}

fn main() {}
