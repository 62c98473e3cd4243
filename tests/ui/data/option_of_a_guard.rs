#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, out: CbOut<bf16>) {
    let block = Some(out.reserve_back(1));
    if let Some(block) = block {
        block.push_back();
    }
}

fn main() {}
