#![allow(unused)]

use ttl::prelude::*;

#[allow(non_upper_case_globals)]
const limit: u32 = 4;

#[ttl::device]
fn at_limit(n: u32) -> bool {
    match n {
        limit => true,
        _ => false,
    }
}

fn main() {}
