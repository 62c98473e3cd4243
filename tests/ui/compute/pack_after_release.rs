//! Released registers belong to the next section.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn copy(compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(1);
    let mut y = y.reserve_back(1);
    let mut regs = compute.acquire();
    regs.copy_tile(&x, 0, 0);
    let mut packing = regs.commit();
    packing.release();
    packing.pack_tile(0, &mut y);
}

fn main() {}
