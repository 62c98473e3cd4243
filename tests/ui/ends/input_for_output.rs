#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn fill(out: &CbOut<bf16>) {
    out.reserve_back(1).push_back();
}

#[ttl::kernel(reader)]
fn k(noc: Noc, input: CbIn<bf16>) {
    fill(&input);
}

fn main() {}
