#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn twice(f: impl Fn(u32) -> u32, n: u32) -> u32 {
    f(f(n as f32))
}

fn main() {}
