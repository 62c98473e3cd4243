//! There are two NoCs.
use ttl::prelude::*;

#[ttl::kernel(reader, noc = 2)]
fn k(_noc: Noc) {}

fn main() {}
