#![allow(unused)]

#[path = "../../support/mod.rs"]
mod support;
use support::*;

struct Helper;

impl Helper {
    #[ttl::device]
    fn f(&self, n: u32) -> u32 {
        n
    }
}

fn main() {}
