//! f64 is no format of tiles.

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, out: CbOut<f64>) {
    out.reserve_back(1).push_back();
}

fn main() {}
