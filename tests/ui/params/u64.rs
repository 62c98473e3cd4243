#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, address: u64) {
    let _ = noc;
}

fn main() {}
