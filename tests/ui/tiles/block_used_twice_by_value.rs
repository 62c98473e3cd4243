//! `a * a` moves the waited block; `&a * &a` borrows it.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn square(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let a = x.wait_front(1);
    y.reserve_back(1).store(a * a);
}

fn main() {}
