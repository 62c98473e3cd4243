//! A NoC address is no number.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, #[ttl(common)] to: u32) {
    noc.raw().noc_async_read(to, 0x10000, 64);
}

fn main() {}
