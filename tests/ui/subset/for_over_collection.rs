#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let pages = n;
    for page in pages.iter() {
        let _ = page;
    }
}

fn main() {}
