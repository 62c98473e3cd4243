#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel]
fn k(x: TensorAccessor<bf16>, #[ttl(common)] n: u32) {
    ttl::reader(|noc| {});
    for i in 0..n {}
}

fn main() {}
