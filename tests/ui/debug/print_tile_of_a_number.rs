#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    ttl::print_tile!(n, 0);
}

fn main() {}
