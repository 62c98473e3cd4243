#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let offsets = [0, n, 2 * n];
    let _ = offsets[1];
}

fn main() {}
