#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel]
fn k(x: TensorAccessor<bf16>) {
    ttl::compute(|_| {
        let size = x.page_size();
    });
}

fn main() {}
