#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

#[ttl::device]
impl Work {
    fn next<const N: u32>(&self) -> u32 {
        self.first + N
    }
}

fn main() {}
