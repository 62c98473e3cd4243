use ttl::prelude::*;

#[ttl::kernel(compute)]
fn load(compute: Compute, src: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(1);
    compute.read_page(&src, 0, &mut tile).wait();
}

fn main() {}
