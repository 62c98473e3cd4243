#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    assert_eq!(n, 3, "{} is not {}", n);
}

fn main() {}
