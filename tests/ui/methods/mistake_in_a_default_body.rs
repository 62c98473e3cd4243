#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
trait Shape {
    fn area(&self) -> u32;

    fn doubled(&self) -> u32 {
        let areas = vec![self.area(); 2];
        areas.iter().sum()
    }
}

fn main() {}
