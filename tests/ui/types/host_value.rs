#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn f() -> u32 {
    let x = std::time::Duration::ZERO;
    4
}

fn main() {}
