#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
trait Shape {
    fn area(&self) -> u32 {
        1
    }
}

fn main() {}
