#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
struct Args {
    x: CbIn<bf16>,
    names: Vec<u32>,
}

fn main() {}
