//! Data-movement kernels have no tile registers.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn add(_noc: Noc, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(1);
    y.reserve_back(1).store(&x + &x);
}

fn main() {}
