#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
    count: u32,
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = Work { first: n };
}

fn main() {}
