#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, a: u32) {
    let _ = Some(a);
}

fn main() {}
