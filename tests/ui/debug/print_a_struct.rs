#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

#[ttl::kernel(reader)]
fn k(noc: Noc, work: Work) {
    assert!(work.first > 3, "work is {}", work);
}

fn main() {}
