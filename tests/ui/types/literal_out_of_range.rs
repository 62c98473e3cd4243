#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::device]
fn f() -> u8 {
    let x: u8 = 300;
    x
}

fn main() {}
