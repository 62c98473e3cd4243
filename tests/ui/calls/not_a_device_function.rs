#![allow(unused)]

use ttl::prelude::*;

fn page_of(x: u32) -> u32 {
    x * 2
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = page_of(n);
}

fn main() {}
