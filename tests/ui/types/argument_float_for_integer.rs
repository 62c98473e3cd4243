#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let tile = out.reserve_back(1.0);
    tile.push_back();
}

fn main() {}
