//! Operands are waited blocks; a reserved one has no contents yet.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn copy(compute: Compute, y: CbOut<bf16>) {
    let mut out = y.reserve_back(1);
    let mut regs = compute.acquire();
    regs.copy_tile(&out, 0, 0);
    regs.commit().pack_tile(0, &mut out);
}

fn main() {}
