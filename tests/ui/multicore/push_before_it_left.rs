//! The block is still being sent.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, x: CbOut<bf16>, to: NocRange) {
    let tile = x.reserve_back(1);
    let sent = noc.write_multicast(&tile, to, 3);
    tile.push_back();
    sent.flushed();
}

fn main() {}
