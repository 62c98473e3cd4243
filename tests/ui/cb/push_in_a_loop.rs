use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, out: CbOut<bf16>) {
    let tile = out.reserve_back(4);
    for _ in 0..4 {
        tile.push_back();
    }
}

fn main() {}
