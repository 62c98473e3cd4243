use ttl::prelude::*;

#[ttl::kernel(compute)]
fn k(compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let mut sum = compute.zeros(2, 2);
    sum += x.wait_front(6).block(2, 3);
    y.reserve_back(4).store(sum);
}

fn main() {}
