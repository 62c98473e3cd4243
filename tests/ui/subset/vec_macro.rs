#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let pages = vec![0; 4];
    let _ = pages;
}

fn main() {}
