//! A transfer is waited for once.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<bf16>, out: CbOut<bf16>) {
    let mut tile = out.reserve_back(1);
    let transfer = noc.read_page(&x, 0, &mut tile);
    transfer.wait();
    transfer.wait();
}

fn main() {}
