#![allow(unused)]

use ttl::prelude::*;

type Index = usize;

#[ttl::device]
fn f() -> u32 {
    let x: Index = 3;
    4
}

fn main() {}
