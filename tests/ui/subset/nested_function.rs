#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    fn twice(x: u32) -> u32 {
        x * 2
    }
    let _ = twice(n);
}

fn main() {}
