#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
enum Shape {
    Row(u32),
    Column(u32),
}

#[ttl::device]
fn length(shape: Shape) -> u32 {
    while let Shape::Row(n) = shape {
        return n;
    }
    0
}

fn main() {}
