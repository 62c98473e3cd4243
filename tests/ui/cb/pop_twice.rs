use ttl::prelude::*;

#[ttl::kernel(writer)]
fn write(_noc: Noc, input: CbIn<bf16>) {
    let tile = input.wait_front(1);
    tile.pop_front();
    tile.pop_front();
}

fn main() {}
