//! What is sent is a block of a buffer.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, x: CbOut<bf16>, to: NocRange) {
    noc.write_multicast(&x, to, 1).flushed();
}

fn main() {}
