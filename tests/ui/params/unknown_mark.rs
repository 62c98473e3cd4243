#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, #[ttl(constant)] n: u32) {
    let _ = n;
}

fn main() {}
