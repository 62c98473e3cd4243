#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, #[ttl(common)] src: TensorAccessor<bf16>) {
    let _ = noc;
}

fn main() {}
