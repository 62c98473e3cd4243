#![allow(unused)]

use ttl::prelude::*;

#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let work = Work { first: n };
    let _ = work.first;
}

fn main() {}
