#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = n.count_ones();
}

fn main() {}
