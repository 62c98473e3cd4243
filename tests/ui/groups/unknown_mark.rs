#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
struct Args {
    out: CbOut<bf16>,
    #[ttl(constant)]
    count: u32,
}

fn main() {}
