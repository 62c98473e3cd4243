#![allow(unused)]

use ttl::prelude::*;

mod helpers {
    #[ttl::device]
    pub fn double(x: u32) -> u32 {
        x * 2
    }
}

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32) {
    let _ = helpers::duoble(n);
}

fn main() {}
