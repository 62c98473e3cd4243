#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel]
fn k(x: TensorAccessor<bf16>) {
    ttl::reader(|noc| {});
    ttl::reader(|noc| {});
}

fn main() {}
