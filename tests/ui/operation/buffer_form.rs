#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel]
fn k(x: TensorAccessor<bf16>) {
    let x_cb = ttl::buffer::<bf16>(2);
    ttl::reader(|noc| {
        noc.read_page(&x, 0, &mut x_cb.reserve_back(1)).wait();
    });
}

fn main() {}
