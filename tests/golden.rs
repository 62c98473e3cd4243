//! The C++ of the kernels in `ttl-kernels`, as people read it. `TTL_UPDATE_GOLDEN=1 cargo test --test golden` writes the files: read the difference.

use std::path::Path;
use ttl::prelude::*;
use ttl::runtime::codegen::Lines;
use ttl_kernels::{fma, matmul};

fn check(program: &CheckedProgram, name: &str) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let update = std::env::var_os("TTL_UPDATE_GOLDEN").is_some_and(|v| v == "1");
    let sources = program.sources(Lines::Comments).expect("C++");
    assert_eq!(sources, program.sources(Lines::Comments).expect("C++"), "the same every time");
    for source in sources {
        let path = dir.join(&source.file_name);
        if update {
            std::fs::create_dir_all(&dir).expect("a directory");
            std::fs::write(&path, &source.text).expect("written");
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        let advice = "TTL_UPDATE_GOLDEN=1 accepts it";
        assert!(source.text == golden, "{}: the C++ changed; {advice}:\n{}", path.display(), source.text);
    }
}

#[test]
fn fma_kernels() {
    let mut device = Device::open().expect("a device");
    let [a, b, c, y] = ["a", "b", "c", "y"].map(|n| device.zeros::<bf16>(n, &[256, 256]).expect("a tensor"));
    let tensors = [&a, &b, &c, &y];
    let grid = device.grid();
    let one = fma::program::<1>(&grid, ComputeConfig::default(), tensors).expect("fits");
    check(&one.validate(&device).expect("valid"), "fma_1");
    let four = fma::program::<4>(&grid, ComputeConfig::default(), tensors).expect("fits");
    check(&four.validate(&device).expect("valid"), "fma_4");
}

#[test]
fn matmul_kernels() {
    let mut device = Device::open().expect("a device");
    let [a, b, c] = ["a", "b", "c"].map(|n| device.zeros::<bf16>(n, &[256, 256]).expect("a tensor"));
    let grid = device.grid();
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    let small = matmul::program::<2, 2, 2, 2, 2>(&grid, config.clone(), &a, &b, &c).expect("fits");
    check(&small.validate(&device).expect("valid"), "matmul_2x2");
    let large = matmul::program::<4, 4, 4, 2, 2>(&grid, config, &a, &b, &c).expect("fits");
    check(&large.validate(&device).expect("valid"), "matmul_4x4");
}
