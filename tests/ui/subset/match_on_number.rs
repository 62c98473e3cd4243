#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    match n {
        0 => out.reserve_back(1).push_back(),
        _ => {}
    }
}

fn main() {}
