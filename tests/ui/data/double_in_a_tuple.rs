#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let pair = (1.5, n);
    let _ = pair.1;
}

fn main() {}
