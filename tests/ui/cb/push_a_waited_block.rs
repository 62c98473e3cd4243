//! A waited block is popped, a reserved one pushed.
use ttl::prelude::*;

#[ttl::kernel(writer)]
fn write(_noc: Noc, input: CbIn<bf16>) {
    let tile = input.wait_front(1);
    tile.push_back();
}

fn main() {}
