#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn f<'a>(tile: &'a mut Reserved<bf16>) {
    let _ = tile;
}

fn main() {}
