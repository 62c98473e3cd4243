use ttl::prelude::*;

#[ttl::kernel(reader)]
fn wrong(noc: Noc, other: NocCore, out: CbOut<bf16>) {
    let tile = out.reserve_back(1);
    noc.raw().noc_async_write_zeros(other.noc_addr(tile.get_write_ptr()), 64);
    noc.read_barrier();
}

fn main() {}
