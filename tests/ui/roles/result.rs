#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(compute)]
fn k(compute: Compute, n: u32) -> u32 {
    n
}

fn main() {}
