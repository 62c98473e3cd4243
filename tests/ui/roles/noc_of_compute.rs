//! A compute kernel chooses a NoC.
use ttl::prelude::*;

#[ttl::kernel(compute, noc = 1)]
fn k(_compute: Compute) {}

fn main() {}
