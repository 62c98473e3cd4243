#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let offsets: [u32; 4] = Default::default();
    let _ = offsets;
}

fn main() {}
