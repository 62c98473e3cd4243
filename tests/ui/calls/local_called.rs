#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

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
