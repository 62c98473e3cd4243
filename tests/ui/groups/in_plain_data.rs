#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    x: CbIn<bf16>,
    count: u32,
}

fn main() {}
