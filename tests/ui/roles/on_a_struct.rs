#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
struct K {
    n: u32,
}

fn main() {}
