use ttl::prelude::*;

const ROWS: u32 = 2;

#[ttl::kernel(compute)]
fn k(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(3 * ROWS);
    y.reserve_back(3 * ROWS).store(x.block(ROWS, 3) * x.block(ROWS, 3).bcast_rows());
}

fn main() {}
