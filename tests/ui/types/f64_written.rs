#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let scale: f64 = 2.0;
    let _ = scale;
}

fn main() {}
