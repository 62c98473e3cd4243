#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(loader)]
fn k(noc: Noc) {
    let _ = noc;
}

fn main() {}
