#![allow(unused)]

use ttl::prelude::*;

struct Config {
    pages: u32,
}

#[ttl::kernel(reader)]
fn k(noc: Noc, config: Config) {
    let _ = noc;
}

fn main() {}
