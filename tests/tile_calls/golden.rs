//! The C++ of kernels with tile calls. `TTL_UPDATE_GOLDEN=1 cargo test --test tile_calls golden` writes the files.

use crate::broadcasts::moves;
use crate::harness::{CORE, Shape, build, tile};
use crate::reductions::less_row_maximum;
use std::path::Path;
use ttl::prelude::*;
use ttl::runtime::codegen::Lines;

fn check(program: &CheckedProgram, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/tile_calls").join(format!("{name}.cpp"));
    let sources = program.sources(Lines::Comments).expect("C++");
    let source = sources.iter().find(|s| s.text.contains("tile_regs_acquire")).expect("the compute kernel");
    if std::env::var_os("TTL_UPDATE_GOLDEN").is_some_and(|v| v == "1") {
        std::fs::write(&path, &source.text).expect("written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let advice = "TTL_UPDATE_GOLDEN=1 accepts it";
    assert!(source.text == golden, "{}: the C++ changed; {advice}:\n{}", path.display(), source.text);
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
