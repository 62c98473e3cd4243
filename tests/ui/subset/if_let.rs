#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let x = Some(n);
    if let Some(y) = x {
        let _ = y;
    }
}

fn main() {}
