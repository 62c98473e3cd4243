//! The statements and expressions of device code.
use ttl::prelude::*;

const LIMIT: u32 = 100;

#[ttl::device]
fn clamp(x: u32, low: u32, high: u32) -> u32 {
    if x < low {
        return low;
    }
    x.min(high)
}

#[ttl::device]
fn count_down(left: &mut u32) -> bool {
    *left -= 1;
    *left > 0
}

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<bf16>, out: CbOut<bf16>, #[ttl(common)] n: u32, first: i32, scale: f32) {
    let mut left = n;
    let step: u32;
    if scale > 0.5 && first >= 0 || n == 7 {
        step = 2;
    } else {
        step = 1;
    }
    let start = {
        let first = first as u32;
        first * step
    };
    for i in (0..n).rev().step_by(2) {
        if i % 3 == 0 {
            continue;
        }
        let mut tile = out.reserve_back(1);
        noc.read_page(&x, clamp(start + i, 0, LIMIT), &mut tile).wait();
    }
    while count_down(&mut left) {
        let mut tile = out.reserve_back(1);
        noc.read_page(&x, left, &mut tile).wait();
    }
    loop {
        left += 1;
        if left >= LIMIT >> 2 {
            break;
        }
    }
}

fn main() {}
