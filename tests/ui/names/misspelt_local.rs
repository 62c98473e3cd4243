#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, count: u32) {
    let _ = cuont + 1;
}

fn main() {}
