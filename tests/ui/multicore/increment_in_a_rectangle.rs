//! An increment goes to one core.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, ready: Semaphore, to: NocRange) {
    noc.semaphore_inc(&ready, to, 1);
}

fn main() {}
