#![allow(unused)]

use ttl::prelude::*;

trait Extra {
    fn waits(&self) -> u32;
}

impl Extra for u32 {
    fn waits(&self) -> u32 {
        3
    }
}

#[ttl::device]
fn f(n: u32) -> u32 {
    n.waits() + 1
}

fn main() {}
