//! A block has no elements in compute kernels.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn first(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(1);
    y.reserve_back(1).store(x[0]);
}

fn main() {}
