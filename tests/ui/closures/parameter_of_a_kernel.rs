#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, f: impl Fn(u32) -> u32) {
    let _ = f(1);
}

fn main() {}
