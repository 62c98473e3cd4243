//! Each end goes to one kernel.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, out: CbOut<bf16>) {
    out.reserve_back(1).push_back();
}

fn build(program: &mut Program) {
    let core = Core::new(0, 0);
    let (out, _input) = program.circular_buffer::<bf16>("x", core, 2);
    program.kernel(core, read { out });
    program.kernel(core, read { out });
}

fn main() {}
