#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work<'a> {
    first: &'a u32,
}

fn main() {}
