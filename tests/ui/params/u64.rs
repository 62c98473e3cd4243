#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, address: u64) {
    let _ = noc;
}

fn main() {}
