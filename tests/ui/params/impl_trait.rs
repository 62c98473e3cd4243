#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::device]
fn f(x: impl Copy) {
    let _ = x;
}

fn main() {}
