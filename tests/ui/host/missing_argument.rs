//! Every parameter has a field; rustc says which one is missing.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, src: TensorAccessor<bf16>, out: CbOut<bf16>, #[ttl(common)] n: u32) {
    for i in 0..n {
        let mut tile = out.reserve_back(1);
        noc.read_page(&src, i, &mut tile).wait();
    }
}

fn build(program: &mut Program, x: &Tensor<bf16>) {
    let core = Core::new(0, 0);
    let (out, _) = program.circular_buffer::<bf16>("x", core, 2);
    program.kernel(core, read { src: x.accessor(), out });
}

fn main() {}
