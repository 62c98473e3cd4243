#![allow(unused)]

use ttl::prelude::*;

#[ttl::kernel(reader)]
fn k(noc: Noc, n: u32, out: CbOut<bf16>) {
    'rows: for row in 0..n {
        for _ in 0..n {
            if row == 3 {
                break 'rows;
            }
        }
    }
}

fn main() {}
