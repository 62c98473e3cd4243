use ttl::prelude::*;

#[ttl::kernel(compute)]
fn wrong(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(1);
    let s = s.wait_front(1);
    let mut out = y.reserve_back(1);
    let mut regs = c.acquire();
    s.pop_front();
    regs.reduce_sum_row(&x, &s, 0, 0, 0);
    regs.commit().pack_tile(0, &mut out);
}

fn main() {}
