//! A buffer of block floats is none of bf16.

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<bf16>, out: CbOut<bfp8_b>) {
    noc.read_page(&x, 0, &mut out.reserve_back(1)).wait();
}

fn main() {}
