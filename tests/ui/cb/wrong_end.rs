//! A reader fills buffers: it needs the producer end.
use ttl::prelude::*;

#[ttl::device]
fn fill(out: &CbOut<bf16>) {
    out.reserve_back(1).push_back();
}

#[ttl::kernel(reader)]
fn read(_noc: Noc, input: CbIn<bf16>) {
    fill(&input);
}

fn main() {}
