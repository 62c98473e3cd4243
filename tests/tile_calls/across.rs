//! Calls of the vector unit across a tile, registers packed as rows, words of tiles that a compute kernel looks at.

use crate::harness::{CORE, Shape, build, run, settings, tile};
use ttl::prelude::*;

fn a(r: usize, c: usize) -> f32 {
    ((r * 5 + c * 3) % 13) as f32 - 6.0
}

fn b(r: usize, c: usize) -> f32 {
    ((r * 7 + c) % 11) as f32 - 4.0
}

/// Running sums down two columns of tiles of two.
#[ttl::kernel(compute)]
fn running_sums(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<f32>, #[ttl(common)] tiles: u32) {
    for i in 0..tiles {
        let x = x.wait_front(1);
        let mut regs = c.acquire();
        regs.copy_tile(&x, 0, 0);
        regs.cumsum_tile(0, i % 2 == 0);
        let mut out = y.reserve_back(1);
        regs.commit().pack_tile(0, &mut out);
    }
    let _ = s.wait_front(1);
}

#[test]
fn sums_run_down_the_columns() {
    let shape = Shape { a: 4, b: 1, y: 4 };
    for setting in settings() {
        let y = run::<bf16, bf16, f32>(&setting, (&tile(4, a), &tile(1, b)), &shape, |p, config, e| {
            p.compute(CORE, config, running_sums { x: e.a, s: e.b, y: e.y, tiles: 4 });
        });
        let exact = setting.1.fp32_dest_acc;
        for c in 0..32 {
            let mut sum = 0.0;
            for r in 0..128 {
                sum = if r % 64 == 0 { a(r, c) } else { sum + a(r, c) };
                let got = y[r * 32 + c];
                // 16-bit registers keep 8 bits of what is stored; the sums run on with all of theirs.
                let bound = if exact { 0.0 } else { f32::abs(sum) / 128.0 };
                assert!((got - sum).abs() <= bound, "row {r}, column {c}: {got}, not {sum}");
            }
        }
    }
}

/// Nothing may come between the tiles of a column.
#[ttl::kernel(compute)]
fn sums_disturbed(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<f32>) {
    let x = x.wait_front(1);
    let mut regs = c.acquire();
    regs.copy_tile(&x, 0, 0);
    regs.cumsum_tile(0, true);
    regs.abs_tile(0);
    regs.cumsum_tile(0, false);
    let mut out = y.reserve_back(1);
    regs.commit().pack_tile(0, &mut out);
    let _ = s.wait_front(1);
}

/// What a run of this compute kernel says, on both engines.
#[track_caller]
fn message(
    shape: &Shape,
    compute: impl Fn(&mut Program, ComputeConfig, crate::harness::Ends<bf16, bf16, f32>),
) -> String {
    let mut said = Vec::new();
    for engine in [Engine::Native, Engine::Cpp] {
        let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() }).expect("a device");
        let inputs = (&tile(shape.a, a), &tile(shape.b, b));
        let (program, _) = build(&mut device, inputs, shape, &ComputeConfig::default(), &compute).expect("a program");
        let program = program.validate(&device).expect("valid");
        said.push(device.run(&program).expect_err("an error").to_string());
    }
    let first = |text: &String| text.lines().next().unwrap_or_default().to_owned();
    assert_eq!(first(&said[0]), first(&said[1]), "{}\n{}", said[0], said[1]);
    said.swap_remove(0)
}

#[test]
fn running_sums_are_lost() {
    let said = message(&Shape { a: 1, b: 1, y: 1 }, |p, config, e| {
        p.compute(CORE, config, sums_disturbed { x: e.a, s: e.b, y: e.y });
    });
    assert!(said.contains("`cumsum_tile` goes on from a tile before it, and there is none"), "{said}");
}

/// Seven reductions of the same tile.
#[ttl::kernel(compute)]
fn reductions(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<f32>) {
    let x = x.wait_front(1);
    let mut out = y.reserve_back(8);
    let mut regs = c.acquire();
    regs.copy_tile(&x, 0, 0);
    regs.sfpu_reduce_sum_row(0);
    regs.copy_tile(&x, 0, 1);
    regs.sfpu_reduce_sum_col(1);
    regs.copy_tile(&x, 0, 2);
    regs.sfpu_reduce_avg_col(2);
    regs.copy_tile(&x, 0, 3);
    regs.commit().pack_block(0, &mut out, 4);
    let mut regs = c.acquire();
    regs.copy_tile(&x, 0, 0);
    regs.sfpu_reduce_max_row(0);
    regs.copy_tile(&x, 0, 1);
    regs.sfpu_reduce_min_row(1);
    regs.copy_tile(&x, 0, 2);
    regs.sfpu_reduce_max_col(2);
    regs.copy_tile(&x, 0, 3);
    regs.sfpu_reduce_min_col(3);
    regs.commit().pack_block(0, &mut out, 4);
    let _ = s.wait_front(1);
}

#[test]
fn reductions_of_the_vector_unit() {
    let shape = Shape { a: 1, b: 1, y: 8 };
    for setting in settings() {
        let y = run::<bf16, bf16, f32>(&setting, (&tile(1, a), &tile(1, b)), &shape, |p, config, e| {
            p.compute(CORE, config, reductions { x: e.a, s: e.b, y: e.y });
        });
        for line in 0..32 {
            let row = || (0..32).map(|c| a(line, c));
            let column = || (0..32).map(|r| a(r, line));
            let (max, min) = (f32::max, f32::min);
            let expected = [
                (true, row().sum::<f32>()),
                (false, column().sum()),
                (false, column().sum::<f32>() / 32.0),
                (true, row().fold(f32::MIN, max)),
                (true, row().fold(f32::MAX, min)),
                (false, column().fold(f32::MIN, max)),
                (false, column().fold(f32::MAX, min)),
            ];
            for (t, (in_column, value)) in expected.into_iter().enumerate() {
                // The fourth tile is a copy.
                let t = if t < 3 { t } else { t + 1 };
                let got = y[t * 1024 + if in_column { line * 32 } else { line }];
                let bound = if setting.1.fp32_dest_acc { 0.0 } else { value.abs() / 128.0 };
                assert!((got - value).abs() <= bound, "reduction {t}, line {line}: {got}, not {value}");
            }
        }
    }
}

/// Four registers as two rows of two tiles; then two tiles each as a part of a row of four; then tiles again.
#[ttl::kernel(compute)]
fn registers_to_rows(
    c: Compute,
    x: CbIn<bf16>,
    s: CbIn<bf16>,
    rows_out: CbOut<bf16>,
    rows_in: CbIn<bf16>,
    y: CbOut<f32>,
) {
    let x = x.wait_front(4);
    {
        let mut rows = rows_out.reserve_back(4);
        let mut regs = c.acquire();
        regs.copy_block(&x, 0, 0, 4);
        regs.commit().pack_untilize_dest(2, 2, &mut rows, 2, 0);
    }
    for _ in 0..2 {
        let rows = rows_in.wait_front(2);
        let mut out = y.reserve_back(2);
        c.tilize_block(&rows, 2, &mut out);
    }
    {
        let mut rows = rows_out.reserve_back(4);
        for part in 0..2 {
            let mut regs = c.acquire();
            regs.copy_tile(&x, 2 * part, 0);
            regs.copy_tile(&x, 2 * part + 1, 1);
            regs.commit().pack_untilize_dest(2, 4, &mut rows, 1, part);
        }
    }
    {
        let rows = rows_in.wait_front(4);
        let mut out = y.reserve_back(4);
        c.tilize_block(&rows, 4, &mut out);
    }
    {
        let mut rows = rows_out.reserve_back(4);
        c.pack_untilize_block_part(&x, 2, 4, &mut rows, 1);
        c.pack_untilize_block_part(&x, 2, 4, &mut rows, 0);
    }
    let rows = rows_in.wait_front(4);
    let mut out = y.reserve_back(4);
    c.tilize_block(&rows, 4, &mut out);
    let _ = s.wait_front(1);
}

#[test]
fn registers_are_packed_as_rows() {
    let shape = Shape { a: 4, b: 1, y: 12 };
    for setting in settings() {
        let y = run::<bf16, bf16, f32>(&setting, (&tile(4, a), &tile(1, b)), &shape, |p, config, e| {
            let (rows_out, rows_in) = p.circular_buffer::<bf16>("rows", CORE, 4);
            p.compute(CORE, config, registers_to_rows { x: e.a, s: e.b, rows_out, rows_in, y: e.y });
        });
        for (i, y) in y.iter().enumerate() {
            let (t, r, c) = (i / 1024, i / 32 % 32, i % 32);
            let from = if t < 8 { t % 4 } else { t % 2 };
            assert_eq!(*y, a(from * 32 + r, c), "tile {t}, row {r}, column {c}");
        }
    }
}

/// The first word of each tile decides which tile comes out.
#[ttl::kernel(compute)]
fn choose(c: Compute, x: CbIn<u32>, s: CbIn<bf16>, y: CbOut<f32>, #[ttl(common)] tiles: u32) {
    let s = s.wait_front(2);
    for _ in 0..tiles {
        let x = x.wait_front(1);
        let word = c.read_tile_value(&x, 0, 5);
        let mut out = y.reserve_back(1);
        let mut regs = c.acquire();
        if c.get_tile_address(&x, 0) & 15 == 0 {
            regs.copy_tile(&s, word & 1, 0);
        }
        regs.commit().pack_tile(0, &mut out);
    }
}

#[test]
fn a_word_of_a_tile_decides() {
    let numbers = HostTensor::from_fn([96, 32], |i| [7.0, 2.0, 9.0][i / 1024]).expect("a tensor");
    let numbers = numbers.to_format(DataFormat::U32);
    let shape = Shape { a: 3, b: 2, y: 3 };
    for setting in settings().into_iter().filter(|(_, config)| config.fp32_dest_acc) {
        let y = run::<u32, bf16, f32>(&setting, (&numbers, &tile(2, b)), &shape, |p, config, e| {
            p.compute(CORE, config, choose { x: e.a, s: e.b, y: e.y, tiles: 3 });
        });
        for (i, y) in y.iter().enumerate() {
            let from = [1, 0, 1][i / 1024];
            assert_eq!(*y, b(from * 32 + i / 32 % 32, i % 32), "element {i}");
        }
    }
}

/// A word behind the end of the tile.
#[ttl::kernel(compute)]
fn beyond(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<f32>) {
    let x = x.wait_front(1);
    let mut out = y.reserve_back(1);
    let word = c.read_tile_value(&x, 0, 512);
    let mut regs = c.acquire();
    regs.copy_tile(&x, 0, word & 1);
    regs.commit().pack_tile(0, &mut out);
    let _ = s.wait_front(1);
}

#[test]
fn words_end_with_the_tile() {
    let said = message(&Shape { a: 1, b: 1, y: 1 }, |p, config, e| {
        p.compute(CORE, config, beyond { x: e.a, s: e.b, y: e.y });
    });
    assert!(said.contains("`read_tile_value`: word 512 of a tile of cb `a` (id 0), which has 512 words"), "{said}");
}

/// More rows than there are registers.
#[ttl::kernel(compute)]
fn too_many(c: Compute, x: CbIn<bf16>, s: CbIn<bf16>, y: CbOut<f32>) {
    let x = x.wait_front(1);
    let mut out = y.reserve_back(8);
    let mut regs = c.acquire();
    regs.copy_tile(&x, 0, 0);
    regs.commit().pack_untilize_dest(4, 4, &mut out, 3, 0);
    let _ = s.wait_front(1);
}

#[test]
fn rows_fit_the_registers() {
    let said = message(&Shape { a: 1, b: 1, y: 8 }, |p, config, e| {
        p.compute(CORE, config, too_many { x: e.a, s: e.b, y: e.y });
    });
    assert!(said.contains("`pack_untilize_dest`: 3 rows of 4 tiles"), "{said}");
}
