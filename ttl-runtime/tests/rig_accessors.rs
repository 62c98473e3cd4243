//! Our accessors against TT-Metalium's, through the verification rig: a kernel asks the real `TensorAccessor` for the NoC address of every
//! page of interleaved and sharded tensors, whose words follow each other, and the answers must be what [`Accessor::locate`] says.
//!
//! Ignored by default; run with the directory of the rig:
//! `TTL_RIG=DIR cargo test -p ttl-runtime --test rig_accessors -- --ignored`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ttl_runtime::arch::{Arch, Core};
use ttl_runtime::cores::{CoreRange, CoreSet};
use ttl_runtime::program::export::{self, TensorExport, Tolerance};
use ttl_runtime::program::{Arg, CbDecl, CbEnd, Checked, DeviceInfo, KernelDecl, Program, Role};
use ttl_runtime::tensor::{
    DataFormat, HostTensor, MemoryConfig, Orientation, PageAddr, ShardLayout, ShardSpec, TensorId, TensorRef,
    TensorSpec, npy,
};

/// Words that the kernel writes for one page: the low and the high half of its NoC address, and the base of its tensor.
const WORDS: usize = 3;

/// Asks for the address of every page of four tensors, and copies the last tensor to `dst`, page by page.
const READER: &str = r#"
#include "api/dataflow/dataflow_api.h"

template <typename A>
uint32_t ask(const A& accessor, uint32_t base, uint32_t pages, uint32_t at) {
    volatile tt_l1_ptr uint32_t* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(at);
    for (uint32_t page = 0; page < pages; ++page) {
        const uint64_t noc = accessor.get_noc_addr(page);
        *out++ = static_cast<uint32_t>(noc);
        *out++ = static_cast<uint32_t>(noc >> 32);
        *out++ = base;
    }
    return at + pages * 3 * 4;
}

void kernel_main() {
    constexpr uint32_t answers = get_compile_time_arg_val(0);
    constexpr uint32_t data = get_compile_time_arg_val(1);
    constexpr uint32_t pages = get_compile_time_arg_val(2);
    constexpr auto a_args = TensorAccessorArgs<6>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    constexpr auto c_args = TensorAccessorArgs<b_args.next_compile_time_args_offset()>();
    constexpr auto d_args = TensorAccessorArgs<c_args.next_compile_time_args_offset()>();
    static_assert(a_args.next_compile_time_args_offset() == get_compile_time_arg_val(3), "offset of b");
    static_assert(b_args.next_compile_time_args_offset() == get_compile_time_arg_val(4), "offset of c");
    static_assert(c_args.next_compile_time_args_offset() == get_compile_time_arg_val(5), "offset of d");
    const uint32_t a_base = get_common_arg_val<uint32_t>(0), b_base = get_common_arg_val<uint32_t>(1);
    const uint32_t c_base = get_common_arg_val<uint32_t>(2), d_base = get_common_arg_val<uint32_t>(3);
    const auto a = TensorAccessor(a_args, a_base);
    const auto b = TensorAccessor(b_args, b_base);
    const auto c = TensorAccessor(c_args, c_base);
    const auto d = TensorAccessor(d_args, d_base);
    cb_reserve_back(answers, 1);
    uint32_t at = get_write_ptr(answers);
    at = ask(a, a_base, pages, at);
    at = ask(b, b_base, pages, at);
    at = ask(c, c_base, pages, at);
    at = ask(d, d_base, pages, at);
    cb_push_back(answers, 1);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_reserve_back(data, 1);
        noc_async_read_page(page, d, get_write_ptr(data));
        noc_async_read_barrier();
        cb_push_back(data, 1);
    }
}
"#;

const WRITER: &str = r#"
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t answers = get_compile_time_arg_val(0);
    constexpr uint32_t data = get_compile_time_arg_val(1);
    constexpr uint32_t pages = get_compile_time_arg_val(2);
    constexpr auto out_args = TensorAccessorArgs<3>();
    constexpr auto dst_args = TensorAccessorArgs<out_args.next_compile_time_args_offset()>();
    const auto out = TensorAccessor(out_args, get_common_arg_val<uint32_t>(0));
    const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(1));
    cb_wait_front(answers, 1);
    noc_async_write_page(0, out, get_read_ptr(answers));
    noc_async_write_barrier();
    cb_pop_front(answers, 1);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_wait_front(data, 1);
        noc_async_write_page(page, dst, get_read_ptr(data));
        noc_async_write_barrier();
        cb_pop_front(data, 1);
    }
}
"#;

fn rect(x0: u32, y0: u32, x1: u32, y1: u32) -> CoreSet {
    CoreRange::new(Core::new(x0, y0), Core::new(x1, y1)).into()
}

fn sharded(layout: ShardLayout, shape: [u32; 2], cores: CoreSet, way: Orientation) -> MemoryConfig {
    MemoryConfig::Sharded(ShardSpec::new(layout, shape, cores, way))
}

struct Sample {
    checked: Checked<()>,
    sources: [export::KernelSource; 2],
    /// The tensors that the kernel asks about.
    asked: [TensorRef; 4],
    out: TensorId,
    dst: TensorId,
}

/// Tensors of 4 x 6 tiles; `d` is also copied to `dst`, which has the memory of `b`.
fn sample(arch: &Arch, memories: [MemoryConfig; 4]) -> Sample {
    const PAGES: u32 = 24;
    let tensor = |id, name: &str, shape: [usize; 2], format, memory: &MemoryConfig| TensorRef {
        id: TensorId(id),
        name: name.into(),
        spec: Arc::new(TensorSpec::new(shape, format).unwrap().with_memory(memory.clone())),
        address: 0x1000,
        device: 0,
    };
    let bf16 = DataFormat::Bf16;
    let names = ["a", "b", "c", "d"];
    let asked: [TensorRef; 4] = std::array::from_fn(|i| tensor(i as u64, names[i], [128, 192], bf16, &memories[i]));
    let out = tensor(8, "out", [32, 32], DataFormat::F32, &MemoryConfig::Dram);
    let dst = tensor(9, "dst", [128, 192], bf16, &memories[1]);
    let core = Core::new(1, 1);
    let mut program = Program::new("accessors");
    let answers = program.add_cb(CbDecl::new("answers", core, DataFormat::F32, 1));
    let data = program.add_cb(CbDecl::new("data", core, bf16, 2));
    let mut offsets = [0; 3];
    let mut next = 6;
    for (offset, tensor) in offsets.iter_mut().zip(&asked) {
        next += tensor.spec.accessor_words(arch).unwrap().len() as u32;
        *offset = next;
    }
    let mut args = vec![
        Arg::cb("answers", answers, CbEnd::Out),
        Arg::cb("data", data, CbEnd::Out),
        Arg::compile_time("pages", PAGES),
    ];
    args.extend(offsets.map(|offset| Arg::compile_time("offset", offset)));
    args.extend(asked.iter().map(|t| Arg::tensor(t.name.clone(), t)));
    program.add_kernel(KernelDecl::new("reader", Role::Reader, core, args, ()));
    let args = vec![
        Arg::cb("answers", answers, CbEnd::In),
        Arg::cb("data", data, CbEnd::In),
        Arg::compile_time("pages", PAGES),
        Arg::tensor("out", &out),
        Arg::tensor("dst", &dst),
    ];
    program.add_kernel(KernelDecl::new("writer", Role::Writer, core, args, ()));
    let checked = program.validate(&DeviceInfo::new(*arch, 0)).unwrap();
    assert_eq!(checked.kernels()[0].accessor_offsets[1..], offsets);
    let sources = [READER, WRITER].map(export::KernelSource::from);
    Sample { checked, sources, asked, out: out.id, dst: dst.id }
}

fn rig() -> PathBuf {
    PathBuf::from(std::env::var_os("TTL_RIG").expect("TTL_RIG is the directory of the rig"))
}

fn run(rig: &Path, spec: &Path, arch: &Arch) {
    let output =
        Command::new(rig.join("run.py")).args(["--arch", arch.name()]).arg(spec).output().expect("run.py starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

fn check(arch: &Arch, memories: [MemoryConfig; 4]) {
    let sample = sample(arch, memories);
    let dir = tempfile::tempdir().unwrap();
    let contents = HostTensor::uniform([128, 192], -1.0, 1.0, 3).unwrap();
    let contents = contents.to_format(DataFormat::Bf16);
    let mut tensors: Vec<TensorExport> =
        sample.asked.iter().map(|t| TensorExport::input(t.id, contents.clone())).collect();
    tensors.push(TensorExport::output(sample.out, None));
    tensors.push(TensorExport::output(sample.dst, Some(contents)));
    let exact = Tolerance { max_abs: Some(0.0), ..Tolerance::default() };
    let spec = export::write(dir.path(), &sample.checked, &sample.sources, &tensors, exact).unwrap();
    run(&rig(), &spec, arch);

    // The kernel wrote its words in the order of the tile's memory.
    let answers = npy::read(dir.path().join("out.out.npy")).unwrap();
    let bytes = answers.to_tiles(DataFormat::F32).unwrap();
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let mut pages = words.chunks_exact(WORDS);
    for tensor in &sample.asked {
        let accessor = tensor.spec.accessor(arch).unwrap();
        let mut dram_banks = std::collections::HashMap::new();
        for page in 0..tensor.spec.pages() as u32 {
            let [low, high, base] = *pages.next().unwrap() else { unreachable!() };
            // A NoC address has 36 bits of local address, then 6 bits of x and 6 of y.
            let (x, y) = (high >> 4 & 0x3F, high >> 10 & 0x3F);
            match accessor.locate(base, page, 0) {
                PageAddr::L1 { addr, .. } if *tensor.spec.memory() == MemoryConfig::L1 => {
                    // TT-Metalium numbers interleaved L1 banks in an order of its own, so only the address is known.
                    assert_eq!(low, addr, "{} page {page}", tensor.name);
                }
                expect @ PageAddr::L1 { .. } => {
                    let got = PageAddr::L1 { x, y, addr: low };
                    assert_eq!(got, expect, "{} page {page}", tensor.name);
                }
                PageAddr::Dram { bank, addr } => {
                    let local = u64::from(low) | u64::from(high & 0xF) << 32;
                    // Banks that share a controller lie at an offset.
                    let place = dram_banks.entry(bank).or_insert((x, y, local - addr));
                    assert_eq!(*place, (x, y, local - addr), "{} page {page}", tensor.name);
                }
            }
        }
        let places: std::collections::HashSet<_> = dram_banks.values().collect();
        assert_eq!(places.len(), dram_banks.len(), "two banks of {} are one", tensor.name);
    }
}

#[test]
#[ignore = "needs the verification rig: set TTL_RIG"]
fn addresses_are_those_of_metalium() {
    use Orientation::{Col, Row};
    use ShardLayout::{Block, Height, Width};
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        check(
            &arch,
            [
                MemoryConfig::Dram,
                sharded(Block, [64, 64], rect(0, 0, 2, 1), Row),
                MemoryConfig::L1,
                sharded(Height, [32, 192], rect(6, 0, 7, 1), Col),
            ],
        );
        check(
            &arch,
            [
                sharded(Width, [128, 128], rect(0, 0, 2, 0), Row),
                sharded(Height, [96, 192], rect(0, 3, 1, 3), Row),
                sharded(Block, [96, 128], rect(2, 2, 5, 5), Col),
                sharded(Block, [32, 64], rect(0, 0, 3, 2), Col),
            ],
        );
    }
}
