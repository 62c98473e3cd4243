#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::device]
fn f<'a>(tile: &'a mut Reserved<bf16>) {
    let _ = tile;
}

fn main() {}
