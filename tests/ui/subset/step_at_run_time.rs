#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    for page in (0..64).step_by(n as usize) {
        let _ = page;
    }
}

fn main() {}
