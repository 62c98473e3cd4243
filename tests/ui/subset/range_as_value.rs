#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let pages = 0..n;
    for page in pages {
        let _ = page;
    }
}

fn main() {}
