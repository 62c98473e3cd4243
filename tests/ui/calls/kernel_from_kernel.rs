#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn inner(noc: Noc, n: u32) {
    let _ = n;
}

#[ttl::kernel(reader)]
fn outer(noc: Noc, n: u32) {
    inner(noc, n);
}

fn main() {}
