//! Compute kernels move no data.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn compute(compute: Compute, x: CbOut<bf16>) {
    let mut tile = x.reserve_back(1);
    compute.read_into(&mut tile).wait();
}

fn main() {}
