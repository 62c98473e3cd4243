#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
struct Work {
    first: u32,
}

#[ttl::device]
fn work(n: u32) -> u32 {
    let work = Work { first: n };
    work.first
}

fn main() {}
