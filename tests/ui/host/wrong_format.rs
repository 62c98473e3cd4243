use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(_noc: Noc, out: CbOut<bf16>) {
    out.reserve_back(1).push_back();
}

fn build(program: &mut Program) {
    let core = Core::new(0, 0);
    let (out, _) = program.circular_buffer::<f32>("x", core, 2);
    program.kernel(core, read { out });
}

fn main() {}
