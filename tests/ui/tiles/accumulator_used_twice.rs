use ttl::prelude::*;

#[ttl::kernel(compute)]
fn twice(compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let a = x.wait_front(1);
    let mut acc = compute.zeros(1, 1);
    acc += a.block(1, 1).matmul(a.block(1, 1));
    y.reserve_back(1).store(acc);
    y.reserve_back(1).store(acc);
}

fn main() {}
