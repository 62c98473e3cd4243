#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let narrow: u8 = 3;
    let sum = n + narrow;
    let _ = sum;
}

fn main() {}
