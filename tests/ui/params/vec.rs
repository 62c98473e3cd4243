#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, pages: Vec<u32>) {
    let _ = noc;
}

fn main() {}
