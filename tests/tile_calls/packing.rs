//! What the packer can do, blocks of tiles, and changes of layout.

use crate::harness::{CORE, Shape, run, settings, tile};
use ttl::prelude::*;

fn a(r: usize, c: usize) -> f32 {
    ((r * 5 + c * 3) % 13) as f32 - 6.0
}

fn b(r: usize, c: usize) -> f32 {
    ((r * 7 + c) % 11) as f32 - 4.0
}

/// A sum over tiles in L1: the first is packed, the others are added to it there. Then a plain tile.
#[ttl::kernel(compute)]
pub(crate) fn sum_in_l1<T: Element>(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<T>, #[ttl(common)] tiles: u32) {
    let s = s.wait_front(1);
    let mut out = y.reserve_back(2);
    for i in 0..tiles {
        let x = x.wait_front(1);
        let mut regs = c.acquire();
        regs.copy_tile(&x, 0, 0);
        let mut packing = regs.commit();
        if i == 0 {
            packing.pack_tile_at(0, &mut out, 0);
        } else {
            packing.pack_tile_l1_acc(0, &mut out, 0);
        }
    }
    let mut regs = c.acquire();
    regs.copy_tile(&s, 0, 0);
    regs.commit().pack_tile_at(0, &mut out, 1);
}

#[test]
fn accumulation_in_l1() {
    let (x, s) = (tile(4, a), tile(1, b));
    let shape = Shape { a: 4, b: 1, y: 2 };
    for setting in settings() {
        let wide = run::<bf16, bf16, f32>(&setting, (&x, &s), &shape, |p, config, e| {
            p.compute(CORE, config, sum_in_l1 { x: e.a, s: e.b, y: e.y, tiles: 4 });
        });
        let narrow = run::<bf16, bf16, bf16>(&setting, (&x, &s), &shape, |p, config, e| {
            p.compute(CORE, config, sum_in_l1 { x: e.a, s: e.b, y: e.y, tiles: 4 });
        });
        for y in [wide, narrow] {
            for i in 0..1024 {
                let (r, c) = (i / 32, i % 32);
                let sum: f32 = (0..4).map(|t| a(t * 32 + r, c)).sum();
                assert_eq!((y[i], y[1024 + i]), (sum, b(r, c)), "row {r}, column {c}");
            }
        }
    }
}

/// Every tile under another ReLU.
#[ttl::kernel(compute)]
fn relus(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<bf16>) {
    let s = s.wait_front(1);
    let mut out = y.reserve_back(4);
    c.pack_relu_zero();
    let mut regs = c.acquire();
    regs.copy_tile(&s, 0, 0);
    regs.commit().pack_tile(0, &mut out);
    c.pack_relu_min_threshold(2f32.to_bits() >> 16);
    let mut regs = c.acquire();
    regs.copy_tile(&s, 0, 0);
    regs.commit().pack_tile(0, &mut out);
    c.pack_relu_max_threshold(2f32.to_bits() >> 16);
    let mut regs = c.acquire();
    regs.copy_tile(&s, 0, 0);
    regs.commit().pack_tile(0, &mut out);
    c.pack_relu_none();
    let mut regs = c.acquire();
    regs.copy_tile(&s, 0, 0);
    regs.commit().pack_tile(0, &mut out);
    let _ = x.wait_front(1);
}

#[test]
fn relu_while_packing() {
    let shape = Shape { a: 1, b: 1, y: 4 };
    let expected: [fn(f32) -> f32; 4] =
        [|x| x.max(0.0), |x| if x <= 2.0 { 0.0 } else { x }, |x| x.clamp(0.0, 2.0), |x| x];
    for setting in settings() {
        let y = run::<bf16, bf16, bf16>(&setting, (&tile(1, a), &tile(1, b)), &shape, |p, config, e| {
            p.compute(CORE, config, relus { x: e.a, s: e.b, y: e.y });
        });
        for (i, y) in y.iter().enumerate() {
            assert_eq!(*y, expected[i / 1024](b(i / 32 % 32, i % 32)), "element {i}");
        }
    }
}

/// Two tiles of `x`, one under the other, times the transpose of two tiles of `s`, one under the other.
#[ttl::kernel(compute)]
fn transposed_product(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<f32>) {
    let s = s.wait_front(2);
    let x = x.wait_front(2);
    let mut out = y.reserve_back(4);
    let mut regs = c.acquire();
    regs.matmul_block_transposed(&x, &s, 0, 0, 0, 2, 2, 1);
    regs.commit().pack_block(0, &mut out, 4);
}

#[test]
fn a_product_with_transposed_tiles() {
    let shape = Shape { a: 2, b: 2, y: 4 };
    for setting in settings().into_iter().filter(|(_, config)| config.fp32_dest_acc) {
        let y = run::<bf16, bf16, f32>(&setting, (&tile(2, a), &tile(2, b)), &shape, |p, config, e| {
            p.compute(CORE, config, transposed_product { x: e.a, s: e.b, y: e.y });
        });
        for (i, y) in y.iter().enumerate() {
            let (t, r, c) = (i / 1024, i / 32 % 32, i % 32);
            let exact: f32 = (0..32).map(|k| a(t / 2 * 32 + r, k) * b(t % 2 * 32 + c, k)).sum();
            assert_eq!(*y, exact, "tile {t}, row {r}, column {c}");
        }
    }
}

/// The first round leaves its tiles to the second.
#[ttl::kernel(compute)]
fn kept(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<f32>) {
    for round in 0..3 {
        let s = s.wait_front(1);
        let x = x.wait_front(1);
        let mut out = y.reserve_back(1);
        let mut regs = c.acquire();
        regs.add_tiles(&x, &s, 0, 0, 0);
        regs.commit().pack_tile(0, &mut out);
        if round == 0 {
            x.keep_front();
            s.keep_front();
        } else {
            x.pop_front();
            s.pop_front();
        }
    }
}

#[test]
fn a_block_is_kept_for_another_guard() {
    let shape = Shape { a: 2, b: 2, y: 3 };
    for setting in settings().into_iter().filter(|(_, config)| config.fp32_dest_acc) {
        let y = run::<bf16, bf16, f32>(&setting, (&tile(2, a), &tile(2, b)), &shape, |p, config, e| {
            p.compute(CORE, config, kept { x: e.a, s: e.b, y: e.y });
        });
        for (i, y) in y.iter().enumerate() {
            let (r, c) = (i / 2048 * 32 + i / 32 % 32, i % 32);
            assert_eq!(*y, a(r, c) + b(r, c), "element {i}");
        }
    }
}

/// Blocks of two tiles; sums that accumulate; a product with a transposed tile.
#[ttl::kernel(compute)]
fn blocks(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<f32>) {
    let s = s.wait_front(2);
    let x = x.wait_front(2);
    let mut out = y.reserve_back(8);
    let mut regs = c.acquire();
    regs.copy_block(&x, 0, 0, 2);
    regs.transpose_block(&x, 0, 2, 2);
    regs.commit().pack_block(0, &mut out, 4);
    let mut regs = c.acquire();
    regs.add_block(&x, &s, 0, 0, 0, 2);
    regs.sub_tiles_acc(&x, &s, 0, 0, 0);
    regs.copy_tile(&s, 1, 2);
    regs.add_tiles_acc(&x, &s, 1, 0, 2);
    regs.matmul_tiles_transposed(&x, &s, 0, 1, 3);
    regs.commit().pack_block(0, &mut out, 4);
}

#[test]
fn blocks_and_accumulating_calls() {
    let expected: [fn(usize, usize) -> f32; 8] = [
        a,
        |r, c| a(32 + r, c),
        |r, c| a(c, r),
        |r, c| a(32 + c, r),
        |r, c| 2.0 * a(r, c),
        |r, c| a(32 + r, c) + b(32 + r, c),
        |r, c| b(32 + r, c) + a(32 + r, c) + b(r, c),
        |r, c| (0..32).map(|k| a(r, k) * b(32 + c, k)).sum(),
    ];
    let shape = Shape { a: 2, b: 2, y: 8 };
    for setting in settings().into_iter().filter(|(_, config)| config.fp32_dest_acc) {
        let y = run::<bf16, bf16, f32>(&setting, (&tile(2, a), &tile(2, b)), &shape, |p, config, e| {
            p.compute(CORE, config, blocks { x: e.a, s: e.b, y: e.y });
        });
        for (i, y) in y.iter().enumerate() {
            let (t, r, c) = (i / 1024, i / 32 % 32, i % 32);
            assert_eq!(*y, expected[t](r, c), "tile {t}, row {r}, column {c}");
        }
    }
}

/// Two tiles to rows, and the rows to tiles again; and the tiles as if they were rows.
#[ttl::kernel(compute)]
pub(crate) fn layouts<const N: u32>(
    c: Compute,
    x: CbIn<bf16>,
    s: CbIn<bf16>,
    rows_out: CbOut<bf16>,
    rows_in: CbIn<bf16>,
    y: CbOut<f32>,
) {
    let x = x.wait_front(N);
    {
        let mut rows = rows_out.reserve_back(N);
        c.pack_untilize_block(&x, N, &mut rows);
    }
    let rows = rows_in.wait_front(N);
    {
        let mut out = y.reserve_back(N);
        c.tilize_block(&rows, N, &mut out);
    }
    let mut out = y.reserve_back(N);
    let mut regs = c.acquire();
    regs.copy_block(&rows, 0, 0, N);
    regs.commit().pack_block(0, &mut out, N);
    let _ = s.wait_front(1);
}

#[test]
fn tiles_to_rows_and_back() {
    let shape = Shape { a: 2, b: 1, y: 4 };
    for setting in settings() {
        let y = run::<bf16, bf16, f32>(&setting, (&tile(2, a), &tile(1, b)), &shape, |p, config, e| {
            let (rows_out, rows_in) = p.circular_buffer::<bf16>("rows", CORE, 2);
            p.compute(CORE, config, layouts::<2> { x: e.a, s: e.b, rows_out, rows_in, y: e.y });
        });
        // In the tensor the two tiles stand under one another, in the rows side by side.
        let at = |t: usize, r: usize, c: usize| a(t * 32 + r, c);
        for i in 0..2048 {
            let (t, r, c) = (i / 1024, i / 32 % 32, i % 32);
            assert_eq!(y[i], at(t, r, c), "tile {t}, row {r}, column {c}");
            // Element k of the rows, where element k of the tiles is read.
            let k = t * 1024 + (r / 16 * 2 + c / 16) * 256 + r % 16 * 16 + c % 16;
            let (row, column) = (k / 64, k % 64);
            assert_eq!(y[2048 + i], at(column / 32, row, column % 32), "tile {t}, row {r}, column {c} of the rows");
        }
    }
}
