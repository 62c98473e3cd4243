#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let pair = (out.reserve_back(1), n);
    let _ = pair.1;
}

fn main() {}
