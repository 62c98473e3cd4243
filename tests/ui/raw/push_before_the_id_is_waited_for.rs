//! The read with an id is still under way.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, x: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(1);
    let read = noc.read_page_with_trid(&x, 0, &mut tile, 1);
    tile.push_back();
    read.wait();
}

fn main() {}
