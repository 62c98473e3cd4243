#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone)]
struct Work {
    pages: Vec<u32>,
}

fn main() {}
