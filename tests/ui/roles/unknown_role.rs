#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(loader)]
fn k(noc: Noc) {
    let _ = noc;
}

fn main() {}
