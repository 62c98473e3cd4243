#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel]
fn k(x: TensorAccessor<bf16>) {
    let (x_out, x_in) = ttl::buffer::<bf16>(2);
    ttl::reader(|noc| {
        let mut tile = x_out.reserve_back(1);
        let read = noc.read_page(&x, 0, &mut tile);
        tile.push_back();
        read.wait();
    });
    ttl::writer(|noc| {
        let tile = x_in.reserve_back(1);
    });
}

fn main() {}
