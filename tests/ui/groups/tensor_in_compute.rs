#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
struct Args {
    x: CbIn<bf16>,
    src: TensorAccessor<bf16>,
}

#[ttl::kernel(compute)]
fn k(compute: Compute, args: Args) {}

fn main() {}
