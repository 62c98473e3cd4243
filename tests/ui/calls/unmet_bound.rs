#![allow(unused)]

use ttl::prelude::*;

struct Other;

#[ttl::device]
fn fill<T: Element>(n: u32) -> u32 {
    n
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = fill::<Other>(n);
}

fn main() {}
