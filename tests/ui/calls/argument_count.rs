#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn double(x: u32) -> u32 {
    x * 2
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = double(n, n);
}

fn main() {}
