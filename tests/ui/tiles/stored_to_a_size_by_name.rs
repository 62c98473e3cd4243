use ttl::prelude::*;

struct Sizes;

impl Sizes {
    const TILES: u32 = 4;
}

#[ttl::kernel(compute)]
fn k(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(3);
    y.reserve_back(Sizes::TILES).store(x.exp());
}

fn main() {}
