//! `ttl::print_tile!`: tiles of blocks in all kinds of kernels, on both engines, and the C++ of it.

use ttl::prelude::*;
use ttl::runtime::codegen::Lines;

const CORE: Core = crate::harness::CORE;

#[ttl::device]
fn corner(block: &Front<f32>, rows: u32) {
    ttl::print_tile!(block, 0, 0..rows, 30..32);
}

#[ttl::kernel(reader)]
fn read(noc: Noc, x: TensorAccessor<bf16>, x_out: CbOut<bf16>) {
    let mut block = x_out.reserve_back(2);
    let mut reads = noc.read_into(&mut block);
    reads.page(&x, 0, 0);
    reads.page(&x, 1, 1);
    reads.wait();
    ttl::print!("read");
    ttl::print_tile!(block, 1, 0..2, 0..4);
}

#[ttl::kernel(compute)]
fn double(c: Compute, x_in: CbIn<bf16>, y_out: CbOut<f32>) {
    let x = x_in.wait_front(2);
    let mut y = y_out.reserve_back(1);
    let at = 4 / 4;
    ttl::print_tile!(x, at, 15..17, 15..17);
    let mut regs = c.acquire();
    regs.copy_tile(&x, 1, 0);
    regs.commit().pack_tile(0, &mut y);
    ttl::print_tile!(y, 0, 31..32, 0..2);
}

#[ttl::kernel(writer)]
fn write(noc: Noc, y: TensorAccessor<f32>, y_in: CbIn<f32>) {
    let block = y_in.wait_front(1);
    // A local of the name that the loop in C++ has.
    let tile_row = 0;
    ttl::print_tile!(block, tile_row);
    corner(&block, 2);
    noc.write_page(&y, 0, &block).flushed();
}

fn program(device: &mut Device) -> ttl::Result<Program> {
    let values = HostTensor::from_fn([64, 32], |i| if i < 1024 { 0.5 } else { (i % 32 + (i / 32) % 32 * 2) as f32 })?;
    let x = device.upload::<bf16>("x", &values)?;
    let y = device.zeros::<f32>("y", &[32, 32])?;
    let mut program = Program::new("printed");
    let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2);
    let (y_out, y_in) = program.circular_buffer::<f32>("y", CORE, 1);
    program.kernel(CORE, read { x: x.accessor(), x_out });
    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    program.compute(CORE, config, double { x_in, y_out });
    program.kernel(CORE, write { y: y.accessor(), y_in });
    Ok(program)
}

fn printed(engine: Engine) -> Vec<(String, String)> {
    let log = PrintLog::default();
    let run = RunOptions { prints: Prints::to_log(&log), ..RunOptions::default() };
    let options = DeviceOptions { engine, run, ..DeviceOptions::default() };
    let mut device = Device::with_options(options).expect("a device");
    let program = program(&mut device).expect("a program").validate(&device).expect("valid");
    device.run(&program).unwrap_or_else(|e| panic!("{engine:?}: {e}"));
    log.take().into_iter().map(|line| (line.who.kernel.to_string(), line.text.trim_end().to_owned())).collect()
}

#[test]
fn tiles_are_printed_alike() {
    let lines = printed(Engine::Native);
    let of = |kernel: &str| -> Vec<&str> {
        lines.iter().filter(|(k, _)| k == kernel).map(|(_, text)| text.as_str()).collect()
    };
    assert_eq!(of("read"), ["read", "0 1 2 3", "2 3 4 5"]);
    // Four faces meet at rows and columns 15 and 16.
    let double = of("double");
    assert_eq!(double[..2], ["45 46", "47 48"]);
    assert_eq!(double[2..], ["62 63"]);
    let row = |r: u32, cols: std::ops::Range<u32>| cols.map(|c| (c + 2 * r).to_string()).collect::<Vec<_>>().join(" ");
    let want: Vec<String> = (0..32).map(|r| row(r, 0..32)).chain((0..2).map(|r| row(r, 30..32))).collect();
    assert_eq!(of("write"), want);
    assert_eq!(printed(Engine::Cpp), lines);
}

#[test]
fn the_cpp_of_it() {
    let mut device = Device::open().expect("a device");
    let program = program(&mut device).expect("a program").validate(&device).expect("valid");
    let sources = program.sources(Lines::None).expect("C++");
    let text = |name: &str| sources.iter().find(|s| s.file_name.starts_with(name)).expect("a kernel").text.as_str();
    for (kernel, lines) in [
        (
            "read",
            "for (uint32_t tile_row = 0; tile_row < 2; ++tile_row) {
        DPRINT(\"{}\", TSLICE(x_out, 1, SliceRange{static_cast<uint8_t>(tile_row), static_cast<uint8_t>(tile_row + 1), 1, 0, 4, 1}, TSLICE_OUTPUT_CB, TSLICE_WR_PTR));
    }",
        ),
        (
            "double",
            "DPRINT_UNPACK(\"{}\", TSLICE(x_in, at, SliceRange{static_cast<uint8_t>(tile_row), static_cast<uint8_t>(tile_row + 1), 1, 15, 17, 1}));",
        ),
        ("double", "DPRINT_PACK(\"{}\", TileSlice<128>(y_out, 0, SliceRange{"),
        ("write", "DPRINT(\"{}\", TileSlice<128>(y_in, tile_row_, SliceRange{"),
        ("write", "TSLICE_INPUT_CB, TSLICE_RD_PTR)"),
    ] {
        assert!(text(kernel).contains(lines), "`{lines}` is not in:\n{}", text(kernel));
    }
}

/// Nobody looks: nothing is printed, and a tile that is not there is no error.
#[test]
fn a_tile_that_is_not_there() {
    #[ttl::kernel(writer)]
    fn far(_noc: Noc, x_out: CbOut<bf16>, x_in: CbIn<bf16>, tile: u32) {
        let x = x_out.reserve_back(1);
        ttl::print_tile!(x, tile, 0..1, 0..1);
        x.push_back();
        x_in.wait_front(1).pop_front();
    }
    for engine in [Engine::Native, Engine::Cpp] {
        for (prints, what) in [(true, "a print of tile 3 of cb `x` (id 0), which has 2 pages"), (false, "")] {
            let log = PrintLog::default();
            let prints = if prints { Prints::to_log(&log) } else { Prints::Off };
            let run = RunOptions { prints, ..RunOptions::default() };
            let mut device =
                Device::with_options(DeviceOptions { engine, run, ..DeviceOptions::default() }).expect("a device");
            let mut program = Program::new("far");
            let (x_out, x_in) = program.circular_buffer::<bf16>("x", CORE, 2);
            program.kernel(CORE, far { x_out, x_in, tile: 3.into() });
            let program = program.validate(&device).expect("valid");
            let error = device.run(&program).err().map(|e| e.to_string()).unwrap_or_default();
            assert_eq!(error.is_empty(), what.is_empty(), "{engine:?}: {error}");
            assert!(error.contains(what), "{engine:?}: {error}");
        }
    }
}

/// In place of the library's printing macros, whose checks the compiler of the rig is too old for: each thread compiles what it prints, as many values
/// as there are places for, all of types that can be printed.
const PRINTED: &str = r#"
#include <type_traits>
namespace printed {
template <typename T>
struct known : std::is_arithmetic<T> {};
template <auto N>
struct known<TileSlice<N>> : std::bool_constant<N == 64 || N == 128> {};
constexpr unsigned places(const char* text) {
    unsigned count = 0;
    for (; *text; ++text) {
        if (text[0] == '{' && text[1] == '{') { ++text; }
        else if (text[0] == '{') { ++count; }
    }
    return count;
}
template <typename... A>
std::integral_constant<unsigned, sizeof...(A)> number(const A&...);
template <typename... A>
inline void print(const A&...) { static_assert((known<A>::value && ...), "a value that cannot be printed"); }
}
#undef DPRINT
#undef DPRINT_UNPACK
#undef DPRINT_PACK
#define DPRINT(format, ...) { \
    static_assert(printed::places(format) == decltype(printed::number(__VA_ARGS__))::value, "places and values"); \
    printed::print(__VA_ARGS__); }
#if defined(UCK_CHLKC_UNPACK)
#define DPRINT_UNPACK DPRINT
#else
#define DPRINT_UNPACK(...)
#endif
#if defined(UCK_CHLKC_PACK)
#define DPRINT_PACK DPRINT
#else
#define DPRINT_PACK(...)
#endif
"#;

/// `TTL_RIG=DIR cargo test --test semantics print_tile -- --ignored`: the real headers take what is generated, on both chips.
#[test]
#[ignore = "needs the rig"]
fn the_real_headers_take_it() {
    let rig = std::env::var_os("TTL_RIG").expect("the directory of the rig in TTL_RIG");
    let check = std::path::Path::new(&rig).join("compile_check.py");
    for arch in [Arch::blackhole(), Arch::wormhole()] {
        let mut device = Device::with_options(DeviceOptions { arch, ..DeviceOptions::default() }).expect("a device");
        let program = program(&mut device).expect("a program").validate(&device).expect("valid");
        let dir = tempfile::tempdir().expect("a directory");
        program.export(&device, dir.path(), &[], Tolerance::default()).expect("written");
        let mut printing = 0;
        for file in std::fs::read_dir(dir.path()).expect("listed").map(|f| f.expect("a file").path()) {
            if file.extension().is_none_or(|e| e != "cpp") {
                continue;
            }
            let text = std::fs::read_to_string(&file).expect("read");
            let Some(at) = text.rfind("\n#include").filter(|_| text.contains("DPRINT")) else { continue };
            let end = at + 1 + text[at + 1..].find('\n').expect("a line") + 1;
            std::fs::write(&file, format!("{}{PRINTED}{}", &text[..end], &text[end..])).expect("written");
            printing += 1;
        }
        assert_eq!(printing, 3, "kernels that print");
        let mut command = std::process::Command::new(&check);
        command.arg("--spec").arg(dir.path().join("program.json")).args(["--arch", &arch.name().to_lowercase()]);
        let out = command.output().expect("the rig");
        let text = [out.stdout, out.stderr].map(|b| String::from_utf8_lossy(&b).into_owned()).concat();
        assert!(out.status.success(), "{}:\n{text}", arch.name());
    }
}
