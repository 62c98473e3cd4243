#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::device]
fn f(#[ttl(compile_time)] n: u32) -> u32 {
    n
}

fn main() {}
