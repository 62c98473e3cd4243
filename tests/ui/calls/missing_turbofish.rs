#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn scaled<const N: u32>(x: u32) -> u32 {
    x * N
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = scaled(n);
}

fn main() {}
