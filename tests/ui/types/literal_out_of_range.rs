#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn f() -> u8 {
    let x: u8 = 300;
    x
}

fn main() {}
