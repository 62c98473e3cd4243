#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let scale = 2.0;
    let half = scale * 0.5;
    let _ = half;
}

fn main() {}
