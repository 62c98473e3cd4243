#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn twice(f: impl Fn(u32) -> u32, n: u32) -> u32 {
    f(f(n))
}

#[ttl::device]
fn k(n: u32) -> u32 {
    let f = |x: u32| x + 1;
    twice(f, n)
}

fn main() {}
