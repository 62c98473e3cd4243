//! A float through a pointer to words.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc) {
    noc.raw().l1_u32(0x10000).write(0, 1.5f32);
}

fn main() {}
