#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

struct Other;

#[ttl::device]
fn fill<T: Elem>(n: u32) -> u32 {
    n
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = fill::<Other>(n);
}

fn main() {}
