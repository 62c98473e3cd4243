#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, tile: Reserved<bf16>) {
    let _ = noc;
}

fn main() {}
