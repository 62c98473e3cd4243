#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn first(n: u32) -> u32 {
    match Some(n) {
        Some(n) => n,
        None => 0,
    }
}

fn main() {}
