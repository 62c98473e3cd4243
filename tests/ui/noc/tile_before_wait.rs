//! The transfer still fills the tile.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(1);
    let transfer = noc.read_page(&src, 0, &mut tile);
    tile.push_back();
    transfer.wait();
}

fn main() {}
