use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, out: CbOut<bf16>) {
    let tile = out.reserve_back(1);
    tile.push_back();
    tile.push_back();
}

fn main() {}
