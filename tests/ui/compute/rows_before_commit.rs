use ttl::prelude::*;

#[ttl::kernel(compute)]
fn wrong(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(1);
    let s = s.wait_front(1);
    let mut out = y.reserve_back(1);
    let mut regs = c.acquire();
    regs.copy_tile(&x, 0, 0);
    regs.pack_untilize_dest(1, 1, &mut out, 1, 0);
    regs.commit().release();
}

fn main() {}
