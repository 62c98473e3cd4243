#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, out: CbOut<bf16>) {
    let tile = out.wait_front(1);
    tile.pop_front();
}

fn main() {}
