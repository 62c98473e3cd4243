//! The block is borrowed until the read has landed.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(1);
    let transfer = noc.read_page(&x, 0, &mut tile);
    tile.write_u32(0, 0);
    transfer.wait();
}

fn main() {}
