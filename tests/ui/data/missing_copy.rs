#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
struct Work {
    first: u32,
}

fn main() {}
