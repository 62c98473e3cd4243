#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let found = loop {
        break n + 1;
    };
    let _ = found;
}

fn main() {}
