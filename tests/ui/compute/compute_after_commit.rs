use ttl::prelude::*;

#[ttl::kernel(compute)]
fn copy(compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let tile = x.wait_front(1);
    let mut out = y.reserve_back(1);
    let mut regs = compute.acquire();
    let mut packing = regs.commit();
    regs.copy_tile(&tile, 0, 0);
    packing.pack_tile(0, &mut out);
}

fn main() {}
