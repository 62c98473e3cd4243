use ttl::prelude::*;

#[ttl::kernel(reader)]
fn read(noc: Noc) {
    let regs = noc.acquire();
}

fn main() {}
