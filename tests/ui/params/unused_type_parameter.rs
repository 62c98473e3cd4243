#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k<T: Element>(noc: Noc, n: u32) {
    let _ = n;
}

fn main() {}
