//! Tiles are combined with tiles and numbers.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn scale(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>, factor: bool) {
    let x = x.wait_front(1);
    y.reserve_back(1).store(&x * factor);
}

fn main() {}
