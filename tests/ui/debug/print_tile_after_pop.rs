#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, x_in: CbIn<bf16>) {
    let x = x_in.wait_front(1);
    x.pop_front();
    ttl::print_tile!(x, 0);
}

fn main() {}
