#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

#[ttl::kernel(reader)]
fn k(noc: Noc, work: Work) {
    let _ = work.frist;
}

fn main() {}
