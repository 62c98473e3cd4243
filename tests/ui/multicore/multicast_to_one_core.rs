//! A multicast goes to a rectangle.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, x: CbOut<bf16>, to: NocCore) {
    let tile = x.reserve_back(1);
    noc.write_multicast(&tile, to, 1).flushed();
}

fn main() {}
