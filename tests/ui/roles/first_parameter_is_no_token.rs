#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(src: TensorAccessor<bf16>, out: CbOut<bf16>) {
    out.reserve_back(1).push_back();
}

fn main() {}
