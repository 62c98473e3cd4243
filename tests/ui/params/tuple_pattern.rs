#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, (x, y): (u32, u32)) {
    let _ = noc;
}

fn main() {}
