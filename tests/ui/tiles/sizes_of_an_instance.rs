use ttl::prelude::*;

#[ttl::kernel(compute)]
fn k<const ROWS: u32, const COLS: u32>(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(ROWS * COLS);
    y.reserve_back(ROWS * COLS).store(x.block(ROWS, COLS) + x.block(COLS, ROWS));
}

fn main() {
    let core = Core::new(0, 0);
    let mut p = Program::new("sizes");
    let (_, x) = p.circular_buffer::<bf16>("x", core, 6);
    let (y, _) = p.circular_buffer::<bf16>("y", core, 6);
    p.compute(core, ComputeConfig::default(), k::<2, 3> { x, y });
}
