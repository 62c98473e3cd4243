//! Guards are released by scope, by call, by value in expressions.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn chain(_compute: Compute, a: CbIn<bf16>, b: CbIn<bf16>, y: CbOut<bf16>, #[ttl(common)] n: u32) {
    for _ in 0..n {
        let a = a.wait_front(2);
        let b = b.wait_front(2);
        let mut y = y.reserve_back(2);
        let sum = &a + &b;
        y.store(sum * sum);
        y.push_back();
    }
}

#[ttl::kernel(compute)]
fn by_value(_compute: Compute, a: CbIn<bf16>, b: CbIn<bf16>, y: CbOut<bf16>) {
    y.reserve_back(1).store(a.wait_front(1) * b.wait_front(1));
}

fn main() {}
