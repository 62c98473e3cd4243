#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let (a, b) = (n, n, n);
    let _ = a + b;
}

fn main() {}
