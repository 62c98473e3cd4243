#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::device]
fn f(x: u32) {
    x + 3
}

fn main() {}
