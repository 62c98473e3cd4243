//! The consumer end has no `reserve_back`.
use ttl::prelude::*;

#[ttl::kernel(writer)]
fn write(_noc: Noc, input: CbIn<bf16>) {
    let tile = input.reserve_back(1);
    tile.push_back();
}

fn main() {}
