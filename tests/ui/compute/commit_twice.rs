//! Registers are handed over once.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn copy(compute: Compute, x: CbIn<bf16>) {
    let x = x.wait_front(1);
    let mut regs = compute.acquire();
    regs.copy_tile(&x, 0, 0);
    let _packing = regs.commit();
    let _again = regs.commit();
}

fn main() {}
