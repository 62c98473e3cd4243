#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
struct Ends {
    x: CbIn<bf16>,
    y: CbOut<bf16>,
}

#[ttl::kernel(compute)]
fn k(compute: Compute, x: CbIn<bf16>, y: CbOut<bf16>) {
    let ends = Ends { x, y };
}

fn main() {}
