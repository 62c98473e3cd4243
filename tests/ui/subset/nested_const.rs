#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    const STEP: u32 = 4;
    let _ = n * STEP;
}

fn main() {}
