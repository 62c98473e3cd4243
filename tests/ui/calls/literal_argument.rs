#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn double(x: f32) -> f32 {
    x * 2.0
}

#[ttl::kernel(reader)]
fn k(noc: Noc) {
    let _ = double(2);
}

fn main() {}
