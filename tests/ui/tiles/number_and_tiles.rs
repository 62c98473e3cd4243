//! Numbers in block expressions of floats are floats.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn scale(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>, factor: u32) {
    let x = x.wait_front(1);
    y.reserve_back(1).store(&x * factor);
}

fn main() {}
