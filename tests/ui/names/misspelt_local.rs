#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, count: u32) {
    let _ = cuont + 1;
}

fn main() {}
