#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>, n: u32) {
    let tile;
    if n > 3 {
        tile = out.reserve_back(1);
    }
}

fn main() {}
