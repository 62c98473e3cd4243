#![allow(unused)]

use ttl::prelude::*;

struct Helper;

impl Helper {
    #[ttl::device]
    fn f(&self, n: u32) -> u32 {
        n
    }
}

fn main() {}
