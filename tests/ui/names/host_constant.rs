#![allow(unused)]

use ttl::prelude::*;

const NAMES: &str = "tiles";

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let x = NAMES;
    let _ = n;
}

fn main() {}
