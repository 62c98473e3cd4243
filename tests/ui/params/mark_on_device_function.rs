#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn f(#[ttl(compile_time)] n: u32) -> u32 {
    n
}

fn main() {}
