//! Waited pages are read, reserved ones are filled.
use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc, src: TensorAccessor<bf16>, input: CbIn<bf16>) {
    let mut tile = input.wait_front(1);
    noc.read_page(&src, 0, &mut tile).wait();
}

fn main() {}
