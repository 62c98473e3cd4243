#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

struct Config {
    pages: u32,
}

#[ttl::kernel(reader)]
fn k(noc: Noc, config: Config) {
    let _ = noc;
}

fn main() {}
