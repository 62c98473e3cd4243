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
        self.first + 1
    }
}

#[ttl::kernel(reader)]
fn k(noc: Noc, work: Work) {
    let _ = work.nxet();
    let _ = Work::create(3);
}

fn main() {}
