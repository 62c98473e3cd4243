//! Kernels on the simulated chip, with results that the tests compute themselves. Values are small integers, exact in every format.

use super::chip::{Chip, READER, WRITER, compute, kernel};
use crate::arch::{ComputeConfig, Core};
use crate::cores::CoreRange;
use crate::ops::{Kind, UnaryOp, UnaryRow};
use crate::sim::Schedule;
use crate::tensor::format::DataFormat::{self, Bf16, F32};
use crate::tensor::memory::{MemoryConfig, ShardSpec};

fn fp32() -> ComputeConfig {
    ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() }
}

/// The words of tensors, one after the other.
fn words(prefix: &[u32], tensors: &[&super::chip::Placed]) -> Vec<u32> {
    prefix.iter().copied().chain(tensors.iter().flat_map(|t| t.words.iter().copied())).collect()
}

/// a + b on one core, a page at a time.
fn add(format: DataFormat, memory: impl Fn() -> MemoryConfig) {
    let mut chip = Chip::new();
    let core = Core::new(3, 2);
    let (fa, fb) = (|i: usize| (i % 61) as f32, |i: usize| (i % 7) as f32 - 3.0);
    let [a, b, y] = [(); 3].map(|()| chip.place(&[64, 96], format, memory()));
    chip.fill(&a, fa);
    chip.fill(&b, fb);
    for id in [0, 1, 16] {
        chip.cb(&[core], id, 2, format);
    }
    let n = a.spec.pages() as u32;
    let mut reader = kernel!("reader_binary.cpp", READER);
    reader.compile_args = words(&[], &[&a, &b]);
    let mut writer = kernel!("writer_unary.cpp", WRITER);
    writer.compile_args = words(&[16], &[&y]);
    chip.kernel(core, &reader, &[a.base, b.base, n], &[]);
    chip.kernel(core, &writer, &[y.base, n], &[]);
    chip.kernel(core, &kernel!("compute_add.cpp", compute(fp32())), &[n], &[]);
    let report = chip.run().unwrap();
    assert_eq!((report.noc_reads, report.noc_writes, report.fpu_tiles, report.packed_tiles), (12, 6, 6, 6));
    let expected: Vec<f32> = (0..64 * 96).map(|i| fa(i) + fb(i)).collect();
    assert_eq!(chip.values(&y), expected);
}

#[test]
fn adds_tensors_in_dram() {
    add(Bf16, || MemoryConfig::Dram);
    add(F32, || MemoryConfig::Dram);
}

#[test]
fn adds_tensors_in_l1() {
    add(Bf16, || MemoryConfig::L1);
    let shards = || ShardSpec::block([32, 32], CoreRange::new(Core::new(0, 0), Core::new(2, 1)));
    add(Bf16, || MemoryConfig::Sharded(shards()));
}

/// a * b + c in blocks of four pages, on four cores that share the work.
fn fma(schedule: Schedule, threads: usize) -> (Vec<f32>, u64) {
    let mut chip = Chip::new();
    chip.options.schedule = schedule;
    chip.options.threads = threads;
    let cores = [Core::new(0, 0), Core::new(7, 0), Core::new(10, 4), Core::new(5, 9)];
    let shape = [128, 256];
    let a = chip.tensor(&shape, Bf16, |i| (i % 11) as f32);
    let b = chip.tensor(&shape, Bf16, |i| (i % 9) as f32 - 4.0);
    let c = chip.tensor(&shape, Bf16, |i| (i % 100) as f32);
    let y = chip.place(&shape, Bf16, MemoryConfig::Dram);
    for id in [0, 1, 2, 16] {
        chip.cb(&cores, id, 8, Bf16);
    }
    let mut reader = kernel!("fma_reader.cpp", READER);
    reader.compile_args = words(&[0, 1, 2, 4], &[&a, &b, &c]);
    let mut middle = kernel!("fma_compute.cpp", compute(ComputeConfig::default()));
    middle.compile_args = vec![0, 1, 2, 16, 4];
    let mut writer = kernel!("block_writer.cpp", WRITER);
    writer.compile_args = words(&[16, 4], &[&y]);
    for (i, core) in cores.into_iter().enumerate() {
        let first = 8 * i as u32;
        chip.kernel(core, &reader, &[a.base, b.base, c.base, first, 8], &[]);
        chip.kernel(core, &middle, &[2], &[]);
        chip.kernel(core, &writer, &[y.base, first, 8], &[]);
    }
    let report = chip.run().unwrap();
    (chip.values(&y), report.noc_read_bytes)
}

#[test]
fn multiplies_and_adds_on_four_cores() {
    let expected: Vec<f32> =
        (0..128 * 256).map(|i| (i % 11) as f32 * ((i % 9) as f32 - 4.0) + (i % 100) as f32).collect();
    let (values, bytes) = fma(Schedule::RoundRobin, 1);
    assert_eq!(values, expected);
    assert_eq!(bytes, 3 * 32 * 2048);
    assert_eq!(fma(Schedule::RoundRobin, 2).0, expected);
    for seed in 0..8 {
        assert_eq!(fma(Schedule::Random(seed), 2).0, expected, "seed {seed}");
    }
}

/// Row-major product of small integers.
fn product(m: usize, k: usize, n: usize, a: impl Fn(usize) -> f32, b: impl Fn(usize) -> f32) -> Vec<f32> {
    let at = |i: usize| (0..k).map(|l| a(i / n * k + l) * b(l * n + i % n)).sum();
    (0..m * n).map(at).collect()
}

#[test]
fn multiplies_matrices_tile_by_tile() {
    let mut chip = Chip::new();
    let core = Core::new(1, 1);
    let (mt, kt, nt) = (2, 4, 3);
    let (fa, fb) = (|i: usize| (i % 5) as f32 - 2.0, |i: usize| (i % 3) as f32 - 1.0);
    let a = chip.tensor(&[32 * mt, 32 * kt], Bf16, fa);
    let b = chip.tensor(&[32 * kt, 32 * nt], Bf16, fb);
    let y = chip.place(&[32 * mt, 32 * nt], F32, MemoryConfig::Dram);
    chip.cb(&[core], 0, 2, Bf16);
    chip.cb(&[core], 1, 2, Bf16);
    chip.cb(&[core], 16, 2, F32);
    let sizes = [mt as u32, kt as u32, nt as u32];
    let mut reader = kernel!("reader_matmul.cpp", READER);
    reader.compile_args = words(&sizes, &[&a, &b]);
    let mut middle = kernel!("compute_matmul.cpp", compute(fp32()));
    middle.compile_args = sizes.to_vec();
    let mut writer = kernel!("writer_unary.cpp", WRITER);
    writer.compile_args = words(&[16], &[&y]);
    chip.kernel(core, &reader, &[a.base, b.base], &[]);
    chip.kernel(core, &middle, &[], &[]);
    chip.kernel(core, &writer, &[y.base, y.spec.pages() as u32], &[]);
    chip.run().unwrap();
    assert_eq!(chip.values(&y), product(32 * mt, 32 * kt, 32 * nt, fa, fb));
}

/// A 4 x 4 tile block of the output as 2 x 2 sub-blocks, K in three blocks of two tiles, partial sums in an f32 buffer.
#[test]
fn multiplies_matrices_in_blocks() {
    let mut chip = Chip::new();
    let core = Core::new(0, 3);
    let (rt, ct, kt, sbm, sbn, nkb) = (2u32, 2u32, 2u32, 2u32, 2u32, 3u32);
    let (m, k, n) = (rt * sbm, kt * nkb, ct * sbn);
    let (fa, fb) = (|i: usize| (i % 5) as f32 - 2.0, |i: usize| (i % 7) as f32 - 3.0);
    let a = chip.tensor(&[32 * m as usize, 32 * k as usize], Bf16, fa);
    let b = chip.tensor(&[32 * k as usize, 32 * n as usize], Bf16, fb);
    // The sub-blocks come out one after the other, so the writer's pages are [sub-block, row, column].
    let y = chip.place(&[32 * (m * n) as usize, 32], F32, MemoryConfig::Dram);
    chip.cb(&[core], 0, 2 * sbm * rt * kt, Bf16);
    chip.cb(&[core], 1, 2 * kt * sbn * ct, Bf16);
    chip.cb(&[core], 24, m * n, F32);
    chip.cb(&[core], 16, rt * ct, F32);
    let mut order = vec![nkb];
    for kb in 0..nkb {
        order.extend((0..m).flat_map(|r| (0..kt).map(move |c| r * k + kb * kt + c)));
        order.extend((0..kt).flat_map(|r| (0..n).map(move |c| (kb * kt + r) * n + c)));
    }
    let mut reader = kernel!("block_reader.cpp", READER);
    reader.compile_args = words(&[m * kt, kt * n], &[&a, &b]);
    let mut middle = kernel!("matmul_block.cpp", compute(fp32()));
    middle.compile_args = vec![0, 1, 24, 16, rt, ct, kt, sbm, sbn, nkb];
    let mut writer = kernel!("block_writer.cpp", WRITER);
    writer.compile_args = words(&[16, rt * ct], &[&y]);
    chip.kernel(core, &reader, &order, &[a.base, b.base]);
    chip.kernel(core, &middle, &[], &[]);
    chip.kernel(core, &writer, &[y.base, 0, m * n], &[]);
    let report = chip.run().unwrap();
    assert_eq!(report.fpu_tiles, u64::from(m * n * k + (nkb - 1) * m * n), "products, and partial sums copied back");
    let expected = product(32 * m as usize, 32 * k as usize, 32 * n as usize, fa, fb);
    let (values, width) = (chip.values(&y), 32 * n as usize);
    for (i, value) in values.iter().enumerate() {
        let (page, row, column) = (i as u32 / 1024, i / 32 % 32, i % 32);
        let (block, in_block) = (page / (rt * ct), page % (rt * ct));
        let tile_row = block / sbn * rt + in_block / ct;
        let tile_column = block % sbn * ct + in_block % ct;
        let at = (32 * tile_row as usize + row) * width + 32 * tile_column as usize + column;
        assert_eq!(*value, expected[at], "tile ({tile_row}, {tile_column}), element ({row}, {column})");
    }
}

#[test]
fn passes_tiles_round_a_ring() {
    let mut chip = Chip::new();
    let arch = chip.arch();
    let cores = [Core::new(0, 0), Core::new(1, 0), Core::new(0, 1), Core::new(1, 1)];
    let a = chip.tensor(&[32, 128], F32, |i| i as f32);
    let y = chip.place(&[32, 128], F32, MemoryConfig::Dram);
    chip.cb(&cores, 0, 1, F32);
    chip.semaphore(&cores, 0, 0);
    let mut reader = kernel!("ring_reader.cpp", READER);
    reader.compile_args = a.words.clone();
    reader.named_args = vec![("cb".to_owned(), 0), ("sem".to_owned(), 0)];
    let mut writer = kernel!("ring_writer.cpp", WRITER);
    writer.compile_args = y.words.clone();
    writer.named_args = vec![("cb".to_owned(), 0)];
    for (i, &core) in cores.iter().enumerate() {
        let next = arch.virtual_core(cores[(i + 1) % 4]);
        chip.kernel(core, &reader, &[a.base, i as u32, next.x, next.y], &[]);
        chip.kernel(core, &writer, &[y.base, i as u32], &[]);
    }
    assert_eq!(chip.run().unwrap().noc_atomics, 4);
    assert_eq!(chip.values(&y), (0..32 * 128).map(|i| i as f32).collect::<Vec<_>>());
}

#[test]
fn works_between_registers_and_packs_out_of_order() {
    let mut chip = Chip::new();
    let core = Core::new(2, 2);
    let (fa, fb) = (|i: usize| (i % 8) as f32, |i: usize| (i % 13) as f32);
    let a = chip.tensor(&[64, 32], Bf16, fa);
    let b = chip.tensor(&[64, 32], Bf16, fb);
    let y = chip.place(&[6 * 32, 32], Bf16, MemoryConfig::Dram);
    chip.cb(&[core], 0, 2, Bf16);
    chip.cb(&[core], 1, 2, Bf16);
    chip.cb(&[core], 16, 3, Bf16);
    let mut reader = kernel!("reader_binary.cpp", READER);
    reader.compile_args = words(&[], &[&a, &b]);
    let mut writer = kernel!("block_writer.cpp", WRITER);
    writer.compile_args = words(&[16, 3], &[&y]);
    chip.kernel(core, &reader, &[a.base, b.base, 2], &[]);
    chip.kernel(core, &kernel!("registers.cpp", compute(ComputeConfig::default())), &[2], &[]);
    chip.kernel(core, &writer, &[y.base, 0, 6], &[]);
    chip.run().unwrap();
    let values = chip.values(&y);
    for i in 0..2048 {
        let (a, b) = (fa(i), fb(i));
        let at = |k: usize| values[i / 1024 * 3072 + k * 1024 + i % 1024];
        assert_eq!([at(0), at(1), at(2)], [(a + b) * a, b - a, (a - b).max(0.0)], "element {i}");
    }
}

#[test]
fn applies_every_unary_operation() {
    let floats = |row: &&UnaryRow| row.kind == Kind::Float && row.gives == Kind::Float;
    for row in UnaryOp::ALL.map(UnaryOp::row).into_iter().filter(floats) {
        let mut chip = Chip::new();
        let core = Core::new(0, 0);
        let f = |i: usize| (i % 800) as f32 / 64.0 - 6.0;
        let a = chip.tensor(&[32, 32], F32, f);
        let y = chip.place(&[32, 32], F32, MemoryConfig::Dram);
        chip.cb(&[core], 0, 2, F32);
        chip.cb(&[core], 16, 2, F32);
        let mut reader = kernel!("reader_pages.cpp", READER);
        reader.compile_args = words(&[0], &[&a]);
        let mut middle = kernel!("compute_unary.cpp", compute(fp32()));
        // Of its headers, only that of the operation.
        let kept: String = middle
            .text
            .lines()
            .filter(|l| !l.contains("api/compute/eltwise_unary/"))
            .map(|l| format!("{l}\n"))
            .collect();
        middle.text = format!("#include \"{}\"\n{kept}", row.header);
        let examples: Vec<u32> = row.params.iter().map(|p| p.example_bits()).collect();
        let own: Vec<String> = row.words.iter().map(|w| w.of(&examples).to_string()).collect();
        let (init, call) = own.split_at(row.init_words);
        let extra: Vec<String> = row.extra.iter().map(|e| e.to_string()).collect();
        let call = [&["i".to_owned()], &extra[..], call].concat().join(", ");
        middle.defines = vec![
            ("OP_INIT".to_owned(), format!("{}({})", row.init, init.join(", "))),
            ("OP(i)".to_owned(), format!("{}({call})", row.call.replace("{dst}", "DataFormat::Float32"))),
            // The bounds are those of the polynomials for registers of 32 bits.
            ("INP_FLOAT32".to_owned(), "1".to_owned()),
        ];
        let mut writer = kernel!("writer_unary.cpp", WRITER);
        writer.compile_args = words(&[16], &[&y]);
        chip.kernel(core, &reader, &[a.base, 1, 4096], &[]);
        chip.kernel(core, &middle, &[1], &[]);
        chip.kernel(core, &writer, &[y.base, 1], &[]);
        chip.run().unwrap();
        for (i, value) in chip.values(&y).into_iter().enumerate() {
            // The input went through a source register of 11 significant bits, and is exact there.
            let x = f64::from(f(i));
            assert!(row.accepts(x, f64::from(value)), "{}({x}) = {value}, not {}", row.method, row.exact(x));
        }
    }
}

/// Identity of the kernel, L1 through pointers, the own core's address, raw bank addresses, floats as arguments.
#[test]
fn knows_who_and_where_it_is() {
    let mut chip = Chip::new();
    let arch = chip.arch();
    let cores = [Core::new(10, 9), Core::new(4, 0)];
    chip.cb(&cores, 5, 1, Bf16);
    for (noc, kind) in [(0, READER), (1, WRITER)] {
        let mut chip = Chip::new();
        chip.cb(&cores, 5, 1, Bf16);
        for (i, &core) in cores.iter().enumerate() {
            let mut source = kernel!("identity.cpp", kind.clone());
            source.named_args = vec![("page".to_owned(), 5)];
            chip.kernel(core, &source, &[2.5f32.to_bits(), 3, 0x4000 + 64 * i as u32], &[]);
        }
        chip.run().unwrap();
        for (i, &core) in cores.iter().enumerate() {
            let mut bytes = [0; 32];
            chip.machine.read_dram(3, 0x4000 + 64 * i as u64, &mut bytes).unwrap();
            let words: Vec<u32> = bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
            let own = arch.virtual_core(core);
            assert_eq!(words, [core.x, core.y, own.x, own.y, noc, 20, 5, 5]);
        }
    }
}

#[test]
fn signals_another_core() {
    for seed in 0..4 {
        let mut chip = Chip::new();
        chip.options.schedule = Schedule::Random(seed);
        let cores = [Core::new(0, 0), Core::new(9, 9)];
        chip.semaphore(&cores, 0, 0);
        chip.semaphore(&cores, 1, 0);
        let source = kernel!("signals.cpp", READER);
        for i in 0..2 {
            let other = chip.arch().virtual_core(cores[1 - i]);
            chip.kernel(cores[i], &source, &[u32::from(i == 0), other.x, other.y], &[]);
        }
        chip.run().unwrap();
    }
}
