#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
struct Work(u32, u32);

fn main() {}
