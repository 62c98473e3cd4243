//! An expression borrows its blocks.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn late(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(1);
    let sum = &x + &x;
    x.pop_front();
    y.reserve_back(1).store(sum);
}

fn main() {}
