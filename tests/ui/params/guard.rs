#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, tile: Reserved<bf16>) {
    let _ = noc;
}

fn main() {}
