//! The transfer still reads the tile.
use ttl::prelude::*;

#[ttl::kernel(writer)]
fn write(noc: Noc, dst: TensorAccessor<bf16>, input: CbIn<bf16>) {
    let tile = input.wait_front(1);
    let transfer = noc.write_page(&dst, 0, &tile);
    tile.pop_front();
    transfer.flushed();
}

fn main() {}
