//! Compute kernels wait for circular buffers only.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn k(_compute: Compute, ready: Semaphore, x: CbIn<bf16>) {
    ready.wait(1);
    x.wait_front(1).pop_front();
}

fn main() {}
