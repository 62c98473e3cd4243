#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, a: u32) {
    let _ = a.saturating_sub(1);
}

fn main() {}
