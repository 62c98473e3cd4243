#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
trait Shape {
    fn area(&self) -> u32;

    fn doubled(&self) -> u32 {
        self.area() * self.factor()
    }
}

fn main() {}
