//! Broadcasts and transpositions, each on values that the registers hold exactly.

use crate::harness::{CORE, Shape, run, settings, tile};
use ttl::prelude::*;

fn a(r: usize, c: usize) -> f32 {
    ((r * 5 + c * 3) % 13) as f32 - 6.0
}

fn b(r: usize, c: usize) -> f32 {
    ((r * 7 + c) % 11) as f32 - 4.0
}

macro_rules! binary {
    ($($name:ident: $method:ident($($row:literal)?), $expected:expr;)*) => {
        mod kernels {
            use ttl::prelude::*;
            $(
                #[ttl::kernel(compute)]
                pub(crate) fn $name(c: Compute, a: CbIn<bf16>, b: CbIn<bf16>, y: CbOut<f32>) {
                    let b = b.wait_front(1);
                    for _ in 0..2 {
                        let a = a.wait_front(1);
                        let mut out = y.reserve_back(1);
                        let mut regs = c.acquire();
                        regs.$method(&a, &b, 0, 0, 1 $(, $row)?);
                        regs.commit().pack_tile(1, &mut out);
                    }
                    let _ = b;
                }
            )*
        }

        $(
            #[test]
            fn $name() {
                let expected: fn(usize, usize) -> f32 = $expected;
                check(expected, |p, config, a, b, y| p.compute(CORE, config, kernels::$name { a, b, y }));
            }
        )*
    };
}

fn check(
    expected: fn(usize, usize) -> f32,
    compute: impl Fn(&mut Program, ComputeConfig, Consumer<bf16>, Consumer<bf16>, Producer<f32>),
) {
    let shape = Shape { a: 2, b: 1, y: 2 };
    for setting in settings() {
        let y = run::<bf16, bf16, f32>(&setting, (&tile(2, a), &tile(1, b)), &shape, |p, config, ends| {
            compute(p, config, ends.a, ends.b, ends.y);
        });
        for (i, y) in y.iter().enumerate() {
            assert_eq!(*y, expected(i / 32, i % 32), "row {}, column {}", i / 32, i % 32);
        }
    }
}

binary! {
    add_rows: add_tiles_bcast_rows(), |r, c| a(r, c) + b(0, c);
    add_cols: add_tiles_bcast_cols(), |r, c| a(r, c) + b(r % 32, 0);
    add_scalar: add_tiles_bcast_scalar(), |r, c| a(r, c) + b(0, 0);
    sub_rows: sub_tiles_bcast_rows(), |r, c| a(r, c) - b(0, c);
    sub_cols: sub_tiles_bcast_cols(), |r, c| a(r, c) - b(r % 32, 0);
    sub_scalar: sub_tiles_bcast_scalar(), |r, c| a(r, c) - b(0, 0);
    mul_rows: mul_tiles_bcast_rows(), |r, c| a(r, c) * b(0, c);
    mul_cols: mul_tiles_bcast_cols(), |r, c| a(r, c) * b(r % 32, 0);
    mul_scalar: mul_tiles_bcast_scalar(), |r, c| a(r, c) * b(0, 0);
    add_row_at: add_tiles_bcast_row_at(21), |r, c| a(r, c) + b(21, c);
    sub_row_at: sub_tiles_bcast_row_at(3), |r, c| a(r, c) - b(3, c);
    mul_row_at: mul_tiles_bcast_row_at(31), |r, c| a(r, c) * b(31, c);
}

/// One kernel does all the moves, so that their inits follow one another.
#[ttl::kernel(compute)]
pub(crate) fn moves<T: Element>(c: Compute, a: CbIn<bf16>, b: CbIn<T>, y: CbOut<f32>) {
    let b = b.wait_front(1);
    let mut out = y.reserve_back(8);
    let mut regs = c.acquire();
    regs.unary_bcast_rows(&b, 0, 0);
    regs.unary_bcast_cols(&b, 0, 1);
    regs.unary_bcast_scalar(&b, 0, 2);
    let mut packing = regs.commit();
    packing.pack_tile(0, &mut out);
    packing.pack_tile(1, &mut out);
    packing.pack_tile(2, &mut out);
    packing.release();
    let a = a.wait_front(1);
    let mut regs = c.acquire();
    regs.transpose_tile(&a, 0, 0);
    regs.transpose_faces(&a, 0, 1);
    regs.transpose_within_faces(&a, 0, 2);
    let mut packing = regs.commit();
    packing.pack_tile(0, &mut out);
    packing.pack_tile(1, &mut out);
    packing.pack_tile(2, &mut out);
    packing.release();
    let mut regs = c.acquire();
    regs.copy_tile(&a, 0, 0);
    regs.transpose_dest(0);
    regs.mul_tiles(&a, &b, 0, 0, 1);
    regs.transpose_dest(1);
    let mut packing = regs.commit();
    packing.pack_tile(0, &mut out);
    packing.pack_tile(1, &mut out);
}

#[test]
pub(crate) fn moves_to_registers() {
    let expected: [fn(usize, usize) -> f32; 8] = [
        |_, c| b(0, c),
        |r, _| b(r, 0),
        |_, _| b(0, 0),
        |r, c| a(c, r),
        // The faces beside the diagonal exchanged.
        |r, c| a(c / 16 * 16 + r % 16, r / 16 * 16 + c % 16),
        |r, c| a(r / 16 * 16 + c % 16, c / 16 * 16 + r % 16),
        |r, c| a(c, r),
        |r, c| a(c, r) * b(c, r),
    ];
    let shape = Shape { a: 1, b: 1, y: 8 };
    for setting in settings() {
        let inputs = (&tile(1, a), &tile(1, b));
        // Broadcast rows of bf16 are wrong in 32-bit registers.
        let y = if setting.1.fp32_dest_acc {
            run::<bf16, f32, f32>(&setting, inputs, &shape, |p, config, ends| {
                p.compute(CORE, config, moves { a: ends.a, b: ends.b, y: ends.y });
            })
        } else {
            run::<bf16, bf16, f32>(&setting, inputs, &shape, |p, config, ends| {
                p.compute(CORE, config, moves { a: ends.a, b: ends.b, y: ends.y });
            })
        };
        for (i, y) in y.iter().enumerate() {
            let (t, r, c) = (i / 1024, i / 32 % 32, i % 32);
            assert_eq!(*y, expected[t](r, c), "tile {t}, row {r}, column {c}");
        }
    }
}
