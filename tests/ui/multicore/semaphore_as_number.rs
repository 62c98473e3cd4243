//! A semaphore is no number.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, ready: Semaphore, next: NocCore) {
    noc.semaphore_inc(&ready, next, 1);
    if ready == 3 {
        ready.set(0);
    }
}

fn main() {}
