#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn double(x: u32) -> u32 {
    x * 2
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let f = double;
    let _ = f(n);
}

fn main() {}
