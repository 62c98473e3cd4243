//! A receiver sends.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, x: CbOut<bf16>, pipe: PipeRx) {
    let tile = x.reserve_back(1);
    pipe.send(noc, &tile);
}

fn main() {}
