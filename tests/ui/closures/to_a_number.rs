#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn double(n: u32) -> u32 {
    n * 2
}

#[ttl::device]
fn k(n: u32) -> u32 {
    double(|x: u32| x + n)
}

fn main() {}
