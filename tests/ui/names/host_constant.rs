#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

const NAMES: &str = "tiles";

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let x = NAMES;
    let _ = n;
}

fn main() {}
