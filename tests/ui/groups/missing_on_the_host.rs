use ttl::prelude::*;

#[ttl::device]
struct Args {
    out: CbOut<bf16>,
    count: u32,
}

#[ttl::kernel(reader)]
fn read(noc: Noc, args: Args) {}

fn main() {
    let mut program = Program::new("p");
    let core = Core::new(0, 0);
    let (out, _) = program.circular_buffer::<bf16>("x", core, 1);
    program.kernel(core, read { args: ArgsHost { out } });
}
