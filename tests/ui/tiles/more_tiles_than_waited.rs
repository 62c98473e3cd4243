use ttl::prelude::*;

#[ttl::kernel(compute)]
fn k(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(6);
    y.reserve_back(8).store(x.block(2, 4));
}

fn main() {}
