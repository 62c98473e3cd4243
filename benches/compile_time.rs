//! What the macros add to compile time.
//!
//! ```text
//! cargo bench --bench compile_time [-- KERNELS [RUNS]]
//! ```
//!
//! Writes a crate with 50 kernels of about 46 lines, checks it with and without the attributes, and prints medians and the
//! difference per kernel. The goal is at most 40 ms per kernel for `cargo check`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

fn main() {
    let mut numbers = std::env::args().filter_map(|a| a.parse::<usize>().ok());
    let kernels = numbers.next().unwrap_or(50);
    let runs = numbers.next().unwrap_or(5);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compile_time");
    let source = source(kernels);
    let lines = source.lines().count() / kernels;
    println!("{kernels} kernels of {lines} lines, {runs} runs, medians");
    for command in ["check", "build"] {
        let with = measure(&dir, root, &source, command, runs);
        let plain: String = source
            .lines()
            .filter(|l| !l.starts_with("#[ttl::"))
            .map(|l| format!("{}\n", l.replace("#[ttl(common)] ", "")))
            .collect();
        let without = measure(&dir, root, &plain, command, runs);
        for (what, with, without) in [("wall", with.0, without.0), ("CPU", with.1, without.1)] {
            let each = (with - without) / kernels as f64 * 1000.0;
            println!(
                "cargo {command}, {what} time: {with:.2} s with the attributes, {without:.2} s without: {each:.1} ms per kernel"
            );
        }
    }
}

/// Median seconds of compiling the crate alone, its dependencies being there: by the clock, and of the processor.
fn measure(dir: &Path, root: &Path, kernels: &str, command: &str, runs: usize) -> (f64, f64) {
    let src = dir.join("src");
    fs::create_dir_all(&src).expect("a directory for the generated crate");
    let manifest = format!(
        "[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         ttl-rs = {{ path = {root:?} }}\n"
    );
    fs::write(dir.join("Cargo.toml"), manifest).expect("write Cargo.toml");
    fs::copy(root.join("Cargo.lock"), dir.join("Cargo.lock")).expect("copy Cargo.lock");
    let lib = format!("#![allow(unused_imports)]\nuse ttl::prelude::*;\n\n{kernels}");
    let mut times = Vec::new();
    // The first run compiles the dependencies and is not counted.
    for run in 0..=runs {
        fs::write(src.join("lib.rs"), &lib).expect("write lib.rs");
        let clean = cargo(dir, "clean").args(["-p", "generated", "-q"]).status();
        assert!(clean.is_ok_and(|s| s.success()));
        let (start, cpu) = (Instant::now(), cpu_of_children());
        let status = cargo(dir, command).arg("-q").status();
        assert!(status.is_ok_and(|s| s.success()), "cargo {command} failed");
        if run > 0 {
            times.push((start.elapsed().as_secs_f64(), cpu_of_children() - cpu));
        }
    }
    let median = |of: fn(&(f64, f64)) -> f64| {
        let mut list: Vec<f64> = times.iter().map(of).collect();
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    (median(|t| t.0), median(|t| t.1))
}

/// Processor seconds of the processes that this one has waited for (Linux; 0 elsewhere). A busy machine does not change it much.
fn cpu_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses: state is field 3, cutime and cstime are 16 and 17, in hundredths of a second.
    let after = stat.rsplit(") ").next().unwrap_or_default();
    let fields = after.split(' ').skip(13).take(2);
    fields.filter_map(|f| f.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn cargo(dir: &Path, command: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(dir).env("CARGO_TARGET_DIR", dir.join("target")).arg(command).arg("--offline");
    cargo
}

/// Kernels as people write them: page loops with address arithmetic, tile loops with helpers, reductions over counters.
fn source(kernels: usize) -> String {
    let mut out = String::from("#[ttl::device]\npub fn ceil_div(a: u32, b: u32) -> u32 {\n    (a + b - 1) / b\n}\n\n");
    for k in 0..kernels {
        let (a, b) = (k % 7 + 2, k % 5 + 1);
        out.push_str(&format!(
            r#"#[ttl::kernel(reader)]
pub fn read_{k}(
    noc: Noc,
    src: TensorAccessor<bf16>,
    bias: TensorAccessor<bf16>,
    out: CbOut<bf16>,
    bias_out: CbOut<bf16>,
    #[ttl(common)] width: u32,
    #[ttl(common)] height: u32,
    first: u32,
    count: u32,
) {{
    let blocks = ceil_div(width, {a});
    let rows = ceil_div(height, {b});
    let last = first + count;
    let mut seen = 0;
    let mut scale = 1.0;
    for row in 0..rows {{
        let base = row * width;
        for block in 0..blocks {{
            let start = base + block * {a};
            let size = if block + 1 == blocks {{ width - block * {a} }} else {{ {a} }};
            if start >= last {{
                break;
            }}
            let mut i = 0;
            while i < size {{
                let page = start + i;
                if page < first {{
                    i += 1;
                    continue;
                }}
                let mut tile = out.reserve_back(1);
                noc.read_page(&src, page, &mut tile).wait();
                tile.push_back();
                seen += 1;
                i += 1;
            }}
        }}
        let odd = row % 2 == 1;
        let mut tile = bias_out.reserve_back(2);
        let index = if odd {{ row / 2 + {b} }} else {{ row / 2 }};
        noc.read_page(&bias, index, &mut tile).wait();
        tile.push_back();
        scale *= 0.5;
    }}
    let total = (seen as f32 * scale) as u32 + noc.core_x() * 3;
    let _ = total;
}}

"#
        ));
    }
    out
}
