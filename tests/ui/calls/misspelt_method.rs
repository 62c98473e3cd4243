#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, out: CbOut<bf16>) {
    out.reserve_bakc(1).push_back();
}

fn main() {}
