#![allow(unused)]

use ttl::prelude::*;

type Index = u64;

#[ttl::device]
fn f() -> u32 {
    let x: Index = 3;
    4
}

fn main() {}
