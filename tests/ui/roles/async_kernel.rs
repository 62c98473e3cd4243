#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
async fn k(noc: Noc) {
    let _ = noc;
}

fn main() {}
