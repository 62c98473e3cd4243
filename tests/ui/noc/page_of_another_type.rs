//! Pages are counted in u32.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>, page: i32) {
    let mut tile = out.reserve_back(1);
    noc.read_page(&src, page, &mut tile).wait();
}

fn main() {}
