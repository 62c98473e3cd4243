//! Compute kernels that Rust accepts and C++ could not follow.

use ttl::prelude::*;

#[ttl::device]
fn sums(out: &mut Reserved<bf16>, x: &Front<bf16>) {
    out.store(x.sum_row());
}

refusals! {
    tiles: compute (c: Compute, x: CbIn<bf16>, w: CbIn<bf16>, y: CbOut<bf16>, n: u32, first: bool) {
        sum_without_a_store {
            let mut sum = c.zeros(1, 1);
            sum += x.wait_front(1).block(1, 1).matmul(w.wait_front(1).block(1, 1));
            y.reserve_back(1).push_back();
        } => "this accumulator is never stored", "store it into a reserved block: `y.reserve_back(n).store(acc)`";
        registers_without_a_commit {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            let mut regs = c.acquire();
            regs.copy_tile(&x, 0, 0);
            y.reserve_back(1).push_back();
        } => "tile registers are acquired here and never committed", "call `.commit()` and pack the results";
        stored_on_one_path {
            let sum = x.wait_front(1) + w.wait_front(1);
            if first {
                y.reserve_back(1).store(sum);
            } else {
                y.reserve_back(1).push_back();
            }
        } => "this guard is released on one path only", "push or pop it on every path";
        chosen_tiles {
            let x = x.wait_front(1);
            let w = w.wait_front(1);
            let tiles = if first { &x } else { &w };
            y.reserve_back(1).store(tiles);
        } => "a branch of `if` gives a guard, which C++ cannot choose", "use the value inside the branches";
        width_at_run_time {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            c.pack_untilize_block(&x, n, &mut y.reserve_back(1));
        } => "a number of tiles of `pack_untilize_block` is not known to the compiler",
            "it is a template argument in C++: write a number, a constant or a const generic";
        store_of_unknown_size {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            sums(&mut y.reserve_back(1), &x);
        } => "the number of tiles to store is not known here", "wait for the operands or reserve the result in this function";
    }
}
