#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

#[ttl::device]
impl Work {
    fn next(&self) -> u32 {
        self.frist + 1
    }
}

fn main() {}
