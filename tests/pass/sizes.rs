//! Sizes by name that go together, and some that do not where no instance comes.

use ttl::prelude::*;

const ROWS: u32 = 2;
const TILES: u32 = ROWS * 3;

#[ttl::kernel(compute)]
fn by_name(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let cols = TILES / ROWS;
    let x = x.wait_front(TILES);
    y.reserve_back(6).store(x.block(ROWS, 3) + x.block(2, cols) * x.block(1, 3).bcast_rows());
}

#[ttl::kernel(compute)]
fn row_or_matrix<const ROWS: u32>(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(ROWS);
    if ROWS == 1 {
        y.reserve_back(ROWS).store(x.block(ROWS, 1).bcast_rows() + x.block(1, 1));
    } else {
        y.reserve_back(ROWS).store(x.block(ROWS, 1).exp());
    }
}

#[ttl::kernel(compute)]
fn turned<const ROWS: u32, const COLS: u32>(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(ROWS * COLS);
    y.reserve_back(ROWS * COLS).store(x.block(ROWS, COLS) + x.block(COLS, ROWS));
}

fn main() {
    let core = Core::new(0, 0);
    let mut p = Program::new("sizes");
    let (_, x) = p.circular_buffer::<bf16>("x", core, TILES);
    let (y, _) = p.circular_buffer::<bf16>("y", core, 6);
    p.compute(core, ComputeConfig::default(), by_name { x, y });
    let (_, x) = p.circular_buffer::<bf16>("more x", core, ROWS);
    let (y, _) = p.circular_buffer::<bf16>("more y", core, ROWS);
    p.compute(core, ComputeConfig::default(), row_or_matrix::<2> { x, y });
    let (_, x) = p.circular_buffer::<bf16>("square x", core, 4);
    let (y, _) = p.circular_buffer::<bf16>("square y", core, 4);
    p.compute(core, ComputeConfig::default(), turned::<2, 2> { x, y });
}
