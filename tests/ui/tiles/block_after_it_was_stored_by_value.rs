//! An expression by value pops its blocks when it is stored.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn twice(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>, z: CbOut<bf16>) {
    let x = x.wait_front(1);
    y.reserve_back(1).store(x);
    z.reserve_back(1).store(&x);
}

fn main() {}
