#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(compute: Compute) {
    let _ = compute;
}

fn main() {}
