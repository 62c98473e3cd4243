use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(1);
    tile.push_back();
    noc.read_page(&src, 0, &mut tile).wait();
}

fn main() {}
