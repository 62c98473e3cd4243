use ttl::prelude::*;

#[ttl::kernel(compute)]
fn copy(_compute: Compute, x: CbIn<bf16>, y: CbIn<bf16>) {
    let a = x.wait_front(1);
    y.wait_front(1).store(&a);
}

fn main() {}
