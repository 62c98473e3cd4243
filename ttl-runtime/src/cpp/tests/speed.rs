//! What compiling and calling cost. Printed by `cargo test -p ttl-runtime --release speed -- --ignored --nocapture`.

use std::time::Instant;

use super::chip::{Chip, READER, WRITER, compiler, compute, kernel};
use crate::arch::{Arch, ArchKind, ComputeConfig, Core};
use crate::cpp::CppSource;
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::format::DataFormat::Bf16;
use crate::tensor::memory::MemoryConfig;

#[test]
#[ignore = "a measurement"]
fn speed_of_compiling() {
    let dir = tempfile::tempdir().unwrap();
    let mut kernels = [
        kernel!("fma_reader.cpp", READER),
        kernel!("fma_compute.cpp", compute(ComputeConfig::default())),
        kernel!("block_writer.cpp", WRITER),
    ];
    kernels[0].compile_args = vec![0, 1, 2, 4, 2, 2048, 2, 2048, 2, 2048];
    kernels[0].cb_formats = [0, 1, 2].map(|id| (id, Bf16)).to_vec();
    kernels[1].compile_args = vec![0, 1, 2, 16, 4];
    kernels[2].compile_args = vec![16, 4, 2, 2048];
    kernels[2].cb_formats = vec![(16, Bf16)];
    for kernel in &kernels {
        let start = Instant::now();
        compiler().with_cache(dir.path().join(&kernel.name)).build(std::slice::from_ref(kernel)).unwrap();
        println!("{}: {:?} alone", kernel.name, start.elapsed());
    }
    let start = Instant::now();
    compiler().with_cache(dir.path().join("all")).build(&kernels).unwrap();
    println!("three at once: {:?}", start.elapsed());
    let start = Instant::now();
    compiler().with_cache(dir.path().join("all")).build(&kernels).unwrap();
    println!("loaded before: {:?}", start.elapsed());
}

/// The same loop of one cheap operation as C++ and as Rust.
#[test]
#[ignore = "a measurement"]
fn speed_of_calls() {
    const N: u32 = 20_000_000;
    let text = "void kernel_main() {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < get_common_arg_val<uint32_t>(0); ++i) { sum += get_arg_val<uint32_t>(0); }
        ASSERT(sum == 0);
    }";
    let mut chip = Chip::new();
    let core = Core::new(0, 0);
    let source = CppSource::new("calls.cpp", text, READER, ArchKind::Blackhole);
    chip.kernel(core, &source, &[0], &[N]);
    let kernels = chip.build();
    let start = Instant::now();
    chip.run_built(&kernels).unwrap();
    let cpp = start.elapsed();

    let entry = || {
        let mut sum = 0;
        for _ in 0..ops::common_arg(0, Site::caller()) {
            ops::common_arg(0, Site::caller());
            sum += ops::runtime_arg(0, Site::caller());
        }
        assert_eq!(std::hint::black_box(sum), 0);
    };
    let start = Instant::now();
    chip.run_native(&entry).unwrap();
    let native = start.elapsed();
    let per = |d: std::time::Duration| d.as_secs_f64() * 1e9 / f64::from(2 * N);
    println!("a call from C++: {:.1} ns, from Rust: {:.1} ns", per(cpp), per(native));
}

#[test]
#[ignore = "a measurement"]
fn speed_of_a_pipeline() {
    let mut chip = Chip::new();
    let arch = Arch::blackhole();
    let cores: Vec<Core> = (0..arch.cores()).map(|i| Core::new(i % arch.grid_x, i / arch.grid_x)).collect();
    let pages = 64 * arch.cores();
    let shape = [32 * pages as usize, 32];
    let [a, b, c] = [7, 9, 100].map(|m| chip.tensor(&shape, Bf16, move |i| (i % m) as f32));
    let y = chip.place(&shape, Bf16, MemoryConfig::Dram);
    for id in [0, 1, 2, 16] {
        chip.cb(&cores, id, 8, Bf16);
    }
    let mut reader = kernel!("fma_reader.cpp", READER);
    reader.compile_args = [0, 1, 2, 4].into_iter().chain([&a, &b, &c].iter().flat_map(|t| t.words.clone())).collect();
    let mut middle = kernel!("fma_compute.cpp", compute(ComputeConfig::default()));
    middle.compile_args = vec![0, 1, 2, 16, 4];
    let mut writer = kernel!("block_writer.cpp", WRITER);
    writer.compile_args = [16, 4].into_iter().chain(y.words.clone()).collect();
    for (i, &core) in cores.iter().enumerate() {
        let first = 64 * i as u32;
        chip.kernel(core, &reader, &[a.base, b.base, c.base, first, 64], &[]);
        chip.kernel(core, &middle, &[16], &[]);
        chip.kernel(core, &writer, &[y.base, first, 64], &[]);
    }
    let kernels = chip.build();
    for _ in 0..3 {
        let start = Instant::now();
        let report = chip.run_built(&kernels).unwrap();
        let time = start.elapsed();
        println!(
            "a * b + c of {pages} pages on {} cores: {time:?}, {:?} a page, {report:?}",
            cores.len(),
            time / pages
        );
    }
}
