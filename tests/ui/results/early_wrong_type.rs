#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn f(x: u32) -> u32 {
    if x > 3 {
        return 1.5;
    }
    x
}

fn main() {}
