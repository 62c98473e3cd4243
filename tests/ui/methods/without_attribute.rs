#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work {
    first: u32,
}

impl Work {
    fn next(&self) -> u32 {
        self.first + 1
    }
}

#[ttl::kernel(reader)]
fn k(noc: Noc, work: Work) {
    let _ = work.next();
}

fn main() {}
