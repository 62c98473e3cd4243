#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k<T: Elem>(noc: Noc, n: u32) {
    let _ = n;
}

fn main() {}
