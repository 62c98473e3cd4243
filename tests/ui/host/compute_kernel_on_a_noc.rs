use ttl::prelude::*;

#[ttl::kernel(compute)]
fn double(_: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let x = x.wait_front(1);
    y.reserve_back(1).store(&x + &x);
}

fn main() {
    let mut program = Program::new("p");
    let core = Core::new(0, 0);
    let (_, x) = program.circular_buffer::<bf16>("x", core, 1);
    let (y, _) = program.circular_buffer::<bf16>("y", core, 1);
    program.kernel_on(core, DmProcessor::Brisc, DmNoc::Noc0, double { x, y });
}
