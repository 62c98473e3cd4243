#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>, n: u32) {
    let mut tile = out.reserve_back(1);
    let transfer = noc.read_page(&src, n, &mut tile);
    tile.push_back();
    transfer.wait();
}

fn main() {}
