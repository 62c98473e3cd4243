#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn broken(x: u32) -> u32 {
    let y = vec![x];
    y[0]
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = broken(n);
}

fn main() {}
