#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel]
fn k(noc: Noc) {
    let _ = noc;
}

fn main() {}
