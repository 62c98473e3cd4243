#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    for page in [1, 2, 3] {
        let _ = page;
    }
}

fn main() {}
