#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

#[ttl::kernel(reader)]
fn k() {}

fn main() {}
