use ttl::prelude::*;

#[ttl::kernel(compute)]
fn copy(compute: Compute, x: CbIn<bf16>) {
    let mut tile = x.wait_front(1);
    let mut regs = compute.acquire();
    regs.copy_tile(&tile, 0, 0);
    regs.commit().pack_tile(0, &mut tile);
}

fn main() {}
