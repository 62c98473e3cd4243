use ttl::prelude::*;

#[ttl::kernel(reader)]
fn wrong(noc: Noc, x: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(1);
    noc.raw().noc_async_read_shard(&x, 0, &mut tile);
    noc.read_barrier();
}

fn main() {}
