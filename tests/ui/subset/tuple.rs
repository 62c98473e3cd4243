#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let (row, column) = (n / 8, n % 8);
    let _ = row + column;
}

fn main() {}
