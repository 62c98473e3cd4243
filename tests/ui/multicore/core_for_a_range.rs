//! The host gives one core where the kernel sends to a rectangle.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, x: CbOut<bf16>, to: NocRange) {
    let tile = x.reserve_back(1);
    noc.write_multicast(&tile, to, 3).flushed();
}

fn main() {
    let mut program = Program::new("p");
    let core = Core::new(0, 0);
    let (x, _) = program.circular_buffer::<bf16>("x", core, 1);
    program.kernel(core, k { x, to: per_core(|core| core) });
}
