use ttl::prelude::*;

const ROWS: u32 = 2;
const COLS: u32 = 3;

#[ttl::kernel(compute)]
fn k(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(ROWS * COLS);
    y.reserve_back(ROWS * COLS).store(x.block(ROWS, COLS) + x.block(COLS, ROWS));
}

fn main() {}
