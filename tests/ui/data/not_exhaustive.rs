#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
enum Mode {
    Slow,
    Fast,
}

#[ttl::device]
fn pages(mode: Mode) -> u32 {
    match mode {
        Mode::Slow => 1,
    }
}

fn main() {}
