#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn half(n: u32) -> Result<u32, u32> {
    if n % 2 == 0 { Ok(n / 2) } else { Err(n) }
}

fn main() {}
