#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let at = Position { x: n, y: 0 };
    let _ = at.x;
}

fn main() {}

struct Position {
    x: u32,
    y: u32,
}
