#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, pages: Vec<u32>) {
    let _ = noc;
}

fn main() {}
