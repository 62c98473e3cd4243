#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let big = 20_000_000_000_000_000_000_000;
    let _ = big;
}

fn main() {}
