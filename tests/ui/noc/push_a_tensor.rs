//! Tensors have no pages to push; circular buffers have.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, x: TensorAccessor<bf16>) {
    x.push_back();
}

fn main() {}
