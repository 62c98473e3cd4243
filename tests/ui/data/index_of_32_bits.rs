#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
fn second(pages: [u32; 4], i: u32) -> u32 {
    pages[i]
}

fn main() {}
