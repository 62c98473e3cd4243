//! Two transfers into the same block: use `read_into` for several pages.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(2);
    let first = noc.read_page(&src, 0, &mut tile);
    let second = noc.read_page(&src, 1, &mut tile);
    first.wait();
    second.wait();
}

fn main() {}
