#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
trait Shape {
    const WIDTH: u32;
    fn area(&self) -> u32;
}

#[ttl::device]
#[derive(Clone, Copy)]
struct Row {
    n: u32,
}

#[ttl::device]
fn size<S: Shape>(shape: S) -> u32 {
    shape.area() + S::WIDTH
}

#[ttl::kernel(reader)]
fn k(noc: Noc, row: Row) {
    let _ = size(row);
}

fn main() {}
