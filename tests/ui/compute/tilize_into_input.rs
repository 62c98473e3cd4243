use ttl::prelude::*;

#[ttl::kernel(compute)]
fn wrong(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(1);
    let s = s.wait_front(1);
    let mut out = y.reserve_back(1);
    let mut s = s;
    c.tilize_block(&x, 1, &mut s);
    let mut regs = c.acquire();
    regs.copy_tile(&x, 0, 0);
    regs.commit().pack_tile(0, &mut out);
}

fn main() {}
