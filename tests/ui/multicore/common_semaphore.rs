//! Only numbers have a place among the arguments to choose.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(_noc: Noc, #[ttl(common)] ready: Semaphore) {
    ready.wait(1);
}

fn main() {}
