#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let scale: f32 = 2.0;
    let _ = scale + 1;
}

fn main() {}
