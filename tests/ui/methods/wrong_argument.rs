#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

#[ttl::device]
impl Work {
    fn next(&self, by: u32) -> u32 {
        self.first + by
    }
}

#[ttl::kernel(reader)]
fn k(noc: Noc, work: Work) {
    let _ = work.next(1.5);
}

fn main() {}
