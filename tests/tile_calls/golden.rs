//! The C++ of kernels with tile calls. `TTL_UPDATE_GOLDEN=1 cargo test --test tile_calls golden` writes the files.

use crate::broadcasts::moves;
use crate::harness::{CORE, Shape, build, tile};
use crate::packing::{layouts, sum_in_l1};
use crate::reductions::less_row_maximum;
use ttl::prelude::*;
use ttl::runtime::codegen::Lines;

fn check(program: &CheckedProgram, name: &str) {
    let sources = program.sources(Lines::Comments).expect("C++");
    let mut source = sources.into_iter().find(|s| s.text.contains("tile_regs_acquire")).expect("the compute kernel");
    source.file_name = format!("{name}.cpp");
    crate::files::sources("tile_calls", &[source]);
}

#[test]
fn reduction_and_broadcast() {
    let (x, one) = (tile(3, |_, _| 0.0), tile(1, |_, _| 1.0));
    let shape = Shape { a: 3, b: 1, y: 3 };
    let mut device = Device::open().expect("a device");
    let (program, _) =
        build::<bf16, bf16, bf16>(&mut device, (&x, &one), &shape, &ComputeConfig::default(), &|p, config, e| {
            let (max_out, max_in) = p.circular_buffer::<bf16>("max", CORE, 2);
            p.compute(CORE, config, less_row_maximum { x: e.a, one: e.b, max_out, max_in, y: e.y, tiles: 3 });
        })
        .expect("a program");
    check(&program.validate(&device).expect("valid"), "less_row_maximum");
}

#[test]
fn broadcasts_and_transpositions() {
    let x = tile(1, |_, _| 0.0);
    let mut device = Device::open().expect("a device");
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let shape = Shape { a: 1, b: 1, y: 8 };
    let (program, _) = build::<bf16, f32, f32>(&mut device, (&x, &x), &shape, &config, &|p, config, e| {
        p.compute(CORE, config, moves { a: e.a, b: e.b, y: e.y });
    })
    .expect("a program");
    check(&program.validate(&device).expect("valid"), "moves");
}

#[test]
fn accumulation_in_l1() {
    let x = tile(4, |_, _| 0.0);
    let mut device = Device::open().expect("a device");
    let shape = Shape { a: 4, b: 1, y: 2 };
    let (program, _) =
        build::<bf16, bf16, f32>(&mut device, (&x, &x), &shape, &ComputeConfig::default(), &|p, config, e| {
            p.compute(CORE, config, sum_in_l1 { x: e.a, s: e.b, y: e.y, tiles: 4 });
        })
        .expect("a program");
    check(&program.validate(&device).expect("valid"), "sum_in_l1");
}

#[test]
fn changes_of_layout() {
    let x = tile(2, |_, _| 0.0);
    let mut device = Device::open().expect("a device");
    let shape = Shape { a: 2, b: 1, y: 4 };
    let (program, _) =
        build::<bf16, bf16, f32>(&mut device, (&x, &x), &shape, &ComputeConfig::default(), &|p, config, e| {
            let (rows_out, rows_in) = p.circular_buffer::<bf16>("rows", CORE, 2);
            p.compute(CORE, config, layouts::<2> { x: e.a, s: e.b, rows_out, rows_in, y: e.y });
        })
        .expect("a program");
    check(&program.validate(&device).expect("valid"), "layouts");
}
