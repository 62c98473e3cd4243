use ttl::prelude::*;

#[ttl::kernel(compute)]
fn copy(_compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let tile = x.wait_front(1);
    let mut out = y.reserve_back(1);
    tile.pop_front();
    out.store(&tile);
}

fn main() {}
