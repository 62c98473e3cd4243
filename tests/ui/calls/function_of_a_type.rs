#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, a: u32, b: u32) {
    let _ = u32::max(a, b);
}

fn main() {}
