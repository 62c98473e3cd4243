//! Waited blocks belong to the producer until they are popped.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn change(_noc: Noc, input: CbIn<bf16>) {
    let mut tile = input.wait_front(1);
    tile.write_u32(0, 1);
}

fn main() {}
