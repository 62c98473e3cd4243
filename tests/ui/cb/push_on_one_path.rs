use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, out: CbOut<bf16>, n: u32) {
    let tile = out.reserve_back(1);
    if n > 3 {
        tile.push_back();
    }
}

fn main() {}
