#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let x: u32 = if n > 3 { 4 };
    let _ = x;
}

fn main() {}
