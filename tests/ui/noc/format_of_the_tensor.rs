//! The tensor holds f32, the buffer bf16: pages have different sizes.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, src: TensorAccessor<f32>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(1);
    noc.read_page(&src, 0, &mut tile).wait();
}

fn main() {}
