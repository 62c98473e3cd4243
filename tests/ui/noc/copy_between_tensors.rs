//! A transfer has a block on one side.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn copy(noc: Noc, x: TensorAccessor<bf16>, y: TensorAccessor<bf16>) {
    noc.read_page(&x, 0, &y).wait();
}

fn main() {}
