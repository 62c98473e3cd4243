//! What arrives needs a reserved block.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, x: CbIn<bf16>, pipe: PipeRx) {
    let mut tile = x.wait_front(1);
    pipe.receive(noc, &mut tile);
}

fn main() {}
