#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn f(x: u32) -> u32 {
    let _ = x;
}

fn main() {}
