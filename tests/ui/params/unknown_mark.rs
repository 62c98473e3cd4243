#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, #[ttl(constant)] n: u32) {
    let _ = n;
}

fn main() {}
