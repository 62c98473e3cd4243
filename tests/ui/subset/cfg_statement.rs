#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    #[cfg(debug_assertions)]
    let x = n;
    let _ = n;
}

fn main() {}
