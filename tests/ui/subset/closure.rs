#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let double = |x: u32| x * 2;
    let _ = double(n);
}

fn main() {}
