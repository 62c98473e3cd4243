//! The block is pushed while the sender may still write it.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, x: CbOut<bf16>, from: PipeRx) {
    let tile = x.reserve_back(1);
    let arriving = from.announce(noc, &tile);
    tile.push_back();
    arriving.wait();
}

fn main() {}
