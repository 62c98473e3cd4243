//! A compute kernel has a pipe.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn k(_compute: Compute, x: CbIn<bf16>, pipe: PipeTx) {
    x.wait_front(1).pop_front();
}

fn main() {}
