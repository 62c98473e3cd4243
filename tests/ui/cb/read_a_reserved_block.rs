//! What was not written yet cannot be read.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, out: CbOut<bf16>) {
    let tile = out.reserve_back(1);
    let _ = tile.read_u32(0);
}

fn main() {}
