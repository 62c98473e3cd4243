#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::device]
fn f() -> u32 {
    let x = std::time::Duration::ZERO;
    4
}

fn main() {}
