//! A reserved block is pushed, a waited one popped.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, out: CbOut<bf16>) {
    let tile = out.reserve_back(1);
    tile.pop_front();
}

fn main() {}
