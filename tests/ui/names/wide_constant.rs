#![allow(unused)]

use ttl::prelude::*;

const PAGES: u64 = 64;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    for page in 0..PAGES {
        let _ = page;
    }
}

fn main() {}
