#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(compute)]
fn k(compute: Compute, n: u32) -> u32 {
    n
}

fn main() {}
