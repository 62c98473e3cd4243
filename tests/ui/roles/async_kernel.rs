#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
async fn k(noc: Noc) {
    let _ = noc;
}

fn main() {}
