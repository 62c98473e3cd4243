#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn twice(f: impl Fn(u32) -> u32, n: u32) -> u32 {
    f(f(n))
}

#[ttl::device]
fn k(n: u32) -> u32 {
    twice(
        |x| {
            if x > 3 {
                return 3;
            }
            x
        },
        n,
    )
}

fn main() {}
