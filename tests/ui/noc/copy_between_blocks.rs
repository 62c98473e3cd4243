//! A transfer has a tensor on one side.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn copy(noc: Noc, input: CbIn<bf16>, out: CbOut<bf16>) {
    let from = input.wait_front(1);
    let mut to = out.reserve_back(1);
    noc.read_page(&from, 0, &mut to).wait();
}

fn main() {}
