#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn half(n: u32) -> Option<u32> {
    if n % 2 == 0 { Some(n / 2) } else { None }
}

#[ttl::device]
fn quarter(n: u32) -> u32 {
    half(half(n).unwrap()).unwrap_or(0)
}

fn main() {}
