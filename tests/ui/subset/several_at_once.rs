#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    let pages = vec![1, 2];
    match n {
        _ => {}
    }
    let s = "three errors, each at its place";
}

fn main() {}
