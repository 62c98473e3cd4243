#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn double(x: u32) -> u32 {
    x * 2
}

#[ttl::device]
fn k(n: u32) -> u32 {
    let f = double;
    n
}

fn main() {}
