#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

#[ttl::device]
impl Work {
    fn with(&self, f: impl Fn(u32) -> u32) -> u32 {
        f(self.first)
    }
}

fn main() {}
