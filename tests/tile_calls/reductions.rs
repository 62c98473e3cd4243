//! Reductions and broadcasts together: what TT-Lang's own compiler cannot do.

use crate::harness::{Shape, run, settings, tile};
use ttl::prelude::*;

/// Row maximum over all tiles of a row, and the tiles less it: both reductions of a softmax, with the maximum through a buffer.
#[ttl::kernel(compute)]
pub(crate) fn less_row_maximum(
    c: Compute,
    x: CbIn<bf16>,
    one: CbIn<bf16>,
    max_out: CbOut<bf16>,
    max_in: CbIn<bf16>,
    y: CbOut<bf16>,
    #[ttl(common)] tiles: u32,
) {
    let one = one.wait_front(1);
    let x = x.wait_front(tiles);
    let mut max = max_out.reserve_back(1);
    let mut regs = c.acquire();
    for t in 0..tiles {
        regs.reduce_max_row(&x, &one, t, 0, 0);
    }
    regs.commit().pack_tile(0, &mut max);
    max.push_back();
    let max = max_in.wait_front(1);
    for t in 0..tiles {
        let mut out = y.reserve_back(1);
        let mut regs = c.acquire();
        regs.sub_tiles_bcast_cols(&x, &max, t, 0, 0);
        regs.commit().pack_tile(0, &mut out);
    }
    let _ = one;
}

/// Small whole numbers: all sums are exact.
fn number(r: usize, c: usize) -> f32 {
    ((r * 37 + c * 11) % 17) as f32 - 8.0
}

#[test]
fn row_maximum_and_column_broadcast() {
    let (x, one) = (tile(3, number), tile(1, |_, _| 1.0));
    for setting in settings() {
        let shape = Shape { a: 3, b: 1, y: 3 };
        let y = run::<bf16, bf16, bf16>(&setting, (&x, &one), &shape, |p, config, ends| {
            let (max_out, max_in) = p.circular_buffer::<bf16>("max", crate::harness::CORE, 2);
            p.compute(
                crate::harness::CORE,
                config,
                less_row_maximum { x: ends.a, one: ends.b, max_out, max_in, y: ends.y, tiles: 3 },
            );
        });
        for r in 0..32 {
            // The tiles stand side by side in the kernel, under one another here.
            let row = |t: usize, c: usize| number(t * 32 + r, c);
            let max = (0..96).map(|i| row(i / 32, i % 32)).fold(f32::MIN, f32::max);
            for t in 0..3 {
                for c in 0..32 {
                    assert_eq!(y[(t * 32 + r) * 32 + c], row(t, c) - max, "row {r}, tile {t}, column {c}");
                }
            }
        }
    }
}

/// A sum to a buffer of bf16 tiles and, unrounded, to the result; then the first as it was kept.
#[ttl::kernel(compute)]
pub(crate) fn to_two_formats(
    c: Compute,
    x: CbIn<bf16>,
    one: CbIn<bf16>,
    kept_out: CbOut<bf16>,
    kept_in: CbIn<bf16>,
    y: CbOut<f32>,
) {
    let one = one.wait_front(1);
    let x = x.wait_front(2);
    for t in 0..2 {
        let mut kept = kept_out.reserve_back(1);
        let mut out = y.reserve_back(2);
        let mut regs = c.acquire();
        regs.reduce_sum_row(&x, &one, t, 0, 0);
        let mut packing = regs.commit();
        packing.pack_tile(0, &mut kept);
        packing.pack_tile(0, &mut out);
        packing.release();
        kept.push_back();
        let kept = kept_in.wait_front(1);
        let mut regs = c.acquire();
        regs.copy_tile(&kept, 0, 0);
        regs.commit().pack_tile(0, &mut out);
    }
    let _ = one;
}

/// The packer writes only what a reduction makes, in both formats.
#[test]
fn one_section_to_two_formats() {
    let (x, one) = (tile(2, number), tile(1, |_, _| 1.0));
    for setting in settings() {
        let shape = Shape { a: 2, b: 1, y: 4 };
        let y = run::<bf16, bf16, f32>(&setting, (&x, &one), &shape, |p, config, ends| {
            let (kept_out, kept_in) = p.circular_buffer::<bf16>("kept", crate::harness::CORE, 2);
            let kernel = to_two_formats { x: ends.a, one: ends.b, kept_out, kept_in, y: ends.y };
            p.compute(crate::harness::CORE, config, kernel);
        });
        for (at, got) in y.iter().enumerate() {
            let (t, r, c) = (at / 2048, at / 32 % 32, at % 32);
            let sum: f32 = (0..32).map(|c| number(t * 32 + r, c)).sum();
            assert_eq!(*got, if c == 0 { sum } else { 0.0 }, "tile {}, row {r}, column {c}", at / 1024);
        }
    }
}

/// Registers that only one branch reduces: with which mask the second format would be packed is not known.
#[ttl::kernel(compute)]
fn reduced_perhaps(
    c: Compute,
    x: CbIn<bf16>,
    one: CbIn<bf16>,
    y: CbOut<bf16>,
    z: CbOut<f32>,
    #[ttl(common)] reduces: bool,
) {
    let one = one.wait_front(1);
    let x = x.wait_front(1);
    let mut y = y.reserve_back(1);
    let mut z = z.reserve_back(1);
    let mut regs = c.acquire();
    if reduces {
        regs.reduce_sum_row(&x, &one, 0, 0, 0);
    } else {
        regs.copy_tile(&x, 0, 0);
    }
    let mut packing = regs.commit();
    packing.pack_tile(0, &mut y);
    packing.pack_tile(0, &mut z);
    packing.release();
    let _ = one;
}

#[test]
fn two_formats_of_what_only_one_branch_reduces() {
    let device = Device::with_options(DeviceOptions::default()).expect("a device");
    let core = crate::harness::CORE;
    let mut p = Program::new("perhaps");
    let (x_out, x) = p.circular_buffer::<bf16>("x", core, 2);
    let (one_out, one) = p.circular_buffer::<bf16>("one", core, 2);
    let (y, y_in) = p.circular_buffer::<bf16>("y", core, 2);
    let (z, z_in) = p.circular_buffer::<f32>("z", core, 2);
    p.kernel(core, fill { x: x_out, one: one_out });
    p.compute(core, ComputeConfig::default(), reduced_perhaps { x, one, y, z, reduces: true });
    p.kernel(core, drop_both { y: y_in, z: z_in });
    let error = p.validate(&device).expect_err("two formats under one mask").to_string();
    assert!(error.contains("the packer gets another format") && error.contains("reductions.rs"), "{error}");
}

#[ttl::kernel(reader)]
fn fill(_: Noc, x: CbOut<bf16>, one: CbOut<bf16>) {
    x.reserve_back(1).push_back();
    one.reserve_back(1).push_back();
}

#[ttl::kernel(writer)]
fn drop_both(_: Noc, y: CbIn<bf16>, z: CbIn<f32>) {
    let _ = y.wait_front(1);
    let _ = z.wait_front(1);
}

macro_rules! reductions {
    ($($name:ident $method:ident: $scale:expr, $expected:expr;)*) => {
        mod kernels {
            use ttl::prelude::*;
            $(
                /// Two tiles to one register; then a plain copy, which must come out whole.
                #[ttl::kernel(compute)]
                pub(crate) fn $name<T: Element, U: Element>(c: Compute, x: CbIn<T>, scaler: CbIn<U>, y: CbOut<f32>) {
                    let scaler = scaler.wait_front(1);
                    let x = x.wait_front(2);
                    let mut out = y.reserve_back(2);
                    let mut regs = c.acquire();
                    for t in 0..2 {
                        regs.$method(&x, &scaler, t, 0, 0);
                    }
                    let mut packing = regs.commit();
                    packing.pack_tile(0, &mut out);
                    packing.release();
                    let mut regs = c.acquire();
                    regs.copy_tile(&x, 0, 0);
                    regs.commit().pack_tile(0, &mut out);
                    let _ = scaler;
                }
            )*
        }

        $(
            #[test]
            fn $name() {
                check_all($scale, $expected, |p, config, x, scaler, y| {
                    p.compute(crate::harness::CORE, config, kernels::$name { x, scaler, y });
                }, |p, config, x, scaler, y| {
                    p.compute(crate::harness::CORE, config, kernels::$name { x, scaler, y });
                });
            }
        )*
    };
}

reductions! {
    sum_row reduce_sum_row: 2.0, |sum, _, _| 2.0 * sum;
    sum_col reduce_sum_col: 2.0, |sum, _, _| 2.0 * sum;
    sum_scalar reduce_sum_scalar: 2.0, |sum, _, _| 4.0 * sum;
    avg_row reduce_avg_row: 1.0 / 64.0, |sum, _, _| sum / 64.0;
    avg_col reduce_avg_col: 1.0 / 64.0, |sum, _, _| sum / 64.0;
    avg_scalar reduce_avg_scalar: 1.0 / 32.0, |sum, _, _| sum / 1024.0;
    max_row reduce_max_row: 1.0, |_, max, _| max;
    max_col reduce_max_col: 1.0, |_, max, _| max;
    max_scalar reduce_max_scalar: 1.0, |_, max, _| max;
}

/// Over (row, column) of the two tiles: sum, maximum, count.
type Expected = fn(f32, f32, f32) -> f32;

fn check_all(
    scale: f32,
    expected: Expected,
    narrow: impl Fn(&mut Program, ComputeConfig, Consumer<bf16>, Consumer<bf16>, Producer<f32>),
    mixed: impl Fn(&mut Program, ComputeConfig, Consumer<f32>, Consumer<bf16>, Producer<f32>),
) {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    // Sums of a whole tile pass through a source register with 8 bits: keep them small.
    let small = |r: usize, c: usize| if (r * 32 + c) % 23 == 5 { ((r + c) % 3) as f32 - 2.0 } else { 0.0 };
    let value: fn(usize, usize) -> f32 = if name.contains("scalar") { small } else { number };
    let (x, scaler) = (tile(2, value), tile(1, |_, _| scale));
    let shape = Shape { a: 2, b: 1, y: 2 };
    for setting in settings() {
        let first =
            run::<bf16, bf16, f32>(&setting, (&x, &scaler), &shape, |p, config, e| narrow(p, config, e.a, e.b, e.y));
        let second =
            run::<f32, bf16, f32>(&setting, (&x, &scaler), &shape, |p, config, e| mixed(p, config, e.a, e.b, e.y));
        for y in [first, second] {
            for r in 0..32 {
                for c in 0..32 {
                    let place = match () {
                        () if name.ends_with("row") => c == 0,
                        () if name.ends_with("col") => r == 0,
                        () => r == 0 && c == 0,
                    };
                    let (mut sum, mut max) = (0.0, f32::MIN);
                    for at in 0..2 * 1024 {
                        let (row, column) = (at / 32 % 32, at % 32);
                        let taken = match () {
                            () if name.ends_with("row") => row == r,
                            () if name.ends_with("col") => column == c,
                            () => true,
                        };
                        if taken {
                            sum += value(at / 32, at % 32);
                            max = max.max(value(at / 32, at % 32));
                        }
                    }
                    let want = if place { expected(sum, max, 64.0) } else { 0.0 };
                    assert_eq!(y[r * 32 + c], want, "{name}: row {r}, column {c}");
                    assert_eq!(y[1024 + r * 32 + c], value(r, c), "{name}: the copy, row {r}, column {c}");
                }
            }
        }
    }
}
