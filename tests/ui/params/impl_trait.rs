#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn f(x: impl Copy) {
    let _ = x;
}

fn main() {}
