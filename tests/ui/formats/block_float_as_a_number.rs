//! Block floats exist in tiles only: there is no scalar of them.

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, scale: bfp8_b, out: CbOut<bfp8_b>) {
    out.reserve_back(1).push_back();
}

fn main() {}
