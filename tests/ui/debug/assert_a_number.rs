#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    assert!(n);
}

fn main() {}
