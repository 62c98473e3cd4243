#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn each(f: impl Fn(u32), n: u32) {
    f(n);
}

#[ttl::device]
fn k(n: u32) -> u32 {
    let mut sum = 0;
    each(|x| sum += x, n);
    sum
}

fn main() {}
