#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, a: u32) {
    let _ = Some(a);
}

fn main() {}
