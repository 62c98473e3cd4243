//! Arguments of the host have the types of the parameters.
use ttl::prelude::*;

#[ttl::kernel(compute)]
fn compute(_compute: Compute, x: CbIn<bf16>, tiles: u32) {
    for _ in 0..tiles {
        let _ = x.wait_front(1);
    }
}

fn put(program: &mut Program, x: Consumer<bf16>) {
    program.kernel(Core::new(0, 0), compute { x, tiles: -1.0 });
}

fn main() {}
