#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn sum(pages: [u32; 4]) -> u32 {
    pages[0]
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = sum([n, n, n]);
}

fn main() {}
