//! Both branches of `if` have one type: store in each branch instead.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn either(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>, flag: bool) {
    let a = x.wait_front(1);
    y.reserve_back(1).store(if flag { &a + &a } else { (&a).exp() });
}

fn main() {}
