use ttl::prelude::*;

mod sizes {
    pub(crate) const INNER: u32 = 4;
}

#[ttl::kernel(compute)]
fn k(_: Compute, x: CbIn<bf16>, w: CbIn<bf16>, y: CbOut<bf16>) {
    let inner = sizes::INNER - 1;
    let x = x.wait_front(2 * inner);
    let w = w.wait_front(4);
    y.reserve_back(2).store(x.block(2, inner).matmul(w.block(4, 1)));
}

fn main() {}
