#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

#[ttl::device]
impl Work {
    fn store(&self) -> u32 {
        self.first
    }
}

fn main() {}
