#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

#[ttl::device]
fn bump(work: &Work) {
    work.first += 1;
}

fn main() {}
