//! Only waited blocks are written to tensors.
use ttl::prelude::*;

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let tile = out.reserve_back(1);
    noc.write_page(&y, 0, &tile).wait();
}

fn main() {}
