//! The block is still being sent.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, src: TensorAccessor<bf16>, x: CbOut<bf16>, next: NocCore) {
    let mut tile = x.reserve_back(1);
    let sent = noc.write_to_core(&tile, next);
    noc.read_page(&src, 0, &mut tile).wait();
    sent.flushed();
}

fn main() {}
