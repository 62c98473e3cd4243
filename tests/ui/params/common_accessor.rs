#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, #[ttl(common)] src: TensorAccessor<bf16>) {
    let _ = noc;
}

fn main() {}
