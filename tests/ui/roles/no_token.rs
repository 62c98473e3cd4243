#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k() {}

fn main() {}
