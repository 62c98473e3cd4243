//! The unchecked calls need their own token.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc) {
    noc.noc_async_read_barrier_with_trid(1);
}

fn main() {}
