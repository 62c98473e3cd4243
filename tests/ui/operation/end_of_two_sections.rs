#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel]
fn k(x: TensorAccessor<bf16>) {
    let (x_out, x_in) = ttl::buffer::<bf16>(2);
    ttl::reader(|noc| {
        noc.read_page(&x, 0, &mut x_out.reserve_back(1)).wait();
    });
    ttl::compute(|_| {
        let x = x_in.wait_front(1);
    });
    ttl::writer(|noc| {
        noc.write_page(&x, 0, &x_in.wait_front(1)).flushed();
    });
}

fn main() {}
