#![allow(unused)]

use ttl::prelude::*;

mod geometry {
    pub fn page_of(x: u32) -> u32 {
        x * 2
    }
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = geometry::page_of(n);
}

fn main() {}
