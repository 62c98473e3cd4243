#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    for page in (0..n).filter(|p| p % 2 == 0) {
        let _ = page;
    }
}

fn main() {}
