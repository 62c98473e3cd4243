use ttl::prelude::*;

#[ttl::kernel(compute)]
fn k(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(6);
    y.reserve_back(4).store(x.block(2, 3).matmul(x.block(2, 3)));
}

fn main() {}
