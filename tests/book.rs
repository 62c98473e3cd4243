//! Pages of the book that come from the tables of the code. `TTL_UPDATE_GOLDEN=1 cargo test --test book` writes them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use ttl::prelude::*;
use ttl_runtime::ir::call;
use ttl_runtime::ops::{BinaryOp, Kind, Param, TernaryOp, UnaryOp};

#[track_caller]
fn page(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book").join(name);
    if std::env::var_os("TTL_UPDATE_GOLDEN").is_some_and(|v| v == "1") {
        std::fs::write(&path, text).expect("written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "{} is not what the tables say: TTL_UPDATE_GOLDEN=1 writes it", path.display());
}

#[test]
fn limits() {
    let (b, w) = (Arch::blackhole(), Arch::wormhole());
    let mut text = String::from(
        "# Limits\n\nWhat the chips have, as `Arch::blackhole()` (p150a) and `Arch::wormhole()` (n150) say. Sizes are bytes.\n\n\
         | | Blackhole | Wormhole |\n|---|---|---|\n",
    );
    let mut row = |what: &str, of: &dyn Fn(&Arch) -> String| {
        writeln!(text, "| {what} | {} | {} |", of(&b), of(&w)).expect("a string");
    };
    row("worker cores, columns x rows", &|a| format!("{} x {}", a.grid_x, a.grid_y));
    row("L1 of a core", &|a| a.l1_size.to_string());
    row("of it for programs", &|a| (a.l1_size - a.l1_base).to_string());
    row("DRAM banks", &|a| a.dram_banks.to_string());
    row("bytes of a bank", &|a| a.dram_bank_size.to_string());
    row("alignment of pages in L1, in DRAM", &|a| format!("{}, {}", a.l1_alignment, a.dram_alignment));
    row("alignment of a read from DRAM", &|a| a.noc_dram_read_alignment.to_string());
    row("alignment of a write to DRAM", &|a| a.noc_dram_write_alignment.to_string());
    row("alignment between cores", &|a| a.noc_l1_alignment.to_string());
    row("largest NoC packet", &|a| a.noc_max_burst.to_string());
    row("transaction ids", &|a| a.noc_transaction_ids.to_string());
    row("circular buffers of a core", &|a| a.cb_ids.to_string());
    row("pages of a circular buffer", &|a| a.cb_max_pages.to_string());
    row("semaphores of a core", &|a| a.semaphores.to_string());
    row("runtime arguments of a kernel", &|a| a.max_runtime_args.to_string());
    for (what, fp32_dest_acc, dst_full_sync) in [
        ("tile registers of 16 bits", false, false),
        ("the same, `dst_full_sync`", false, true),
        ("tile registers of 32 bits (`fp32_dest_acc`)", true, false),
        ("the same, `dst_full_sync`", true, true),
    ] {
        let config = ComputeConfig { fp32_dest_acc, dst_full_sync, ..ComputeConfig::default() };
        row(what, &|_| config.dst_tiles().to_string());
    }
    text.push_str("\nTiles: ");
    let formats = [
        DataFormat::Bf16,
        DataFormat::F32,
        DataFormat::Bfp8B,
        DataFormat::Bfp4B,
        DataFormat::U32,
        DataFormat::I32,
        DataFormat::U16,
        DataFormat::U8,
    ];
    let sizes: Vec<String> = formats.iter().map(|f| format!("{f} {}", f.tile_bytes())).collect();
    writeln!(text, "{}.", sizes.join(", ")).expect("a string");
    page("limits.md", &text);
}

fn parameters(params: &[Param]) -> String {
    params.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ")
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Float => "",
        Kind::I32 => "i32",
        Kind::U32 => "u32",
        Kind::U16 => "u16",
    }
}

fn bound(relative: f64, absolute: f64, (from, to): (f64, f64)) -> String {
    let mut text = match relative {
        0.0 => "exact".to_string(),
        r => format!("{r:.0e}"),
    };
    if absolute > 0.0 {
        write!(text, ", or {absolute:.0e} absolute").expect("a string");
    }
    if from.is_finite() || to.is_finite() {
        write!(text, ", on {from:?}..{to:?}").expect("a string");
    }
    text
}

#[test]
fn operations() {
    let mut text = String::from(
        "# Operations\n\nThe operations on tiles, one row each of the table in `ttl-runtime/src/ops`. The bound is the largest relative error of the hardware's\n\
         algorithm against the exact function, in 32-bit registers; 16-bit registers and bf16 buffers add half a unit in the last place for each rounding. Every operation is\n\
         also a method of tile registers, `regs.exp_tile(0)`, named as in TT-Metalium. What each computes, its parameters and special values are in the documentation of\n\
         [`TileMath`](crate::prelude::TileMath), [`TileBinary`](crate::prelude::TileBinary) and [`TileTernary`](crate::prelude::TileTernary).\n\n\
         ## Of one block\n\n| method | tiles of | C++ | bound |\n|---|---|---|---|\n",
    );
    let mut lines = String::new();
    for op in UnaryOp::ALL {
        let r = op.row();
        let (method, call) = (r.method, r.call);
        let method = if r.creates { format!("compute.{method}") } else { format!("x.{method}") };
        let bound = bound(r.bound, r.absolute, r.domain);
        writeln!(lines, "| `{method}({})` | {} | `{call}` | {bound} |", parameters(r.params), kind(r.kind))
            .expect("a string");
    }
    lines.push_str("\n## Of two blocks\n\n`+ - * /` and the other operators are `add`, `sub`, `mul`, `div` ... The second operand may be a number.\n\n");
    lines.push_str("| method | tiles of | C++ | bound |\n|---|---|---|---|\n");
    for op in BinaryOp::ALL {
        let r = op.row();
        let fpu = r.fpu.map_or(String::new(), |f| format!(", `{}`", f.call));
        let bound = bound(r.bound, r.absolute, r.domain);
        writeln!(lines, "| `a.{}(b)` | {} | `{}`{fpu} | {bound} |", r.method, kind(r.kind), r.call).expect("a string");
    }
    lines.push_str("\n## Of three blocks\n\n| method | C++ | bound |\n|---|---|---|\n");
    for op in TernaryOp::ALL {
        let r = op.row();
        let params = if r.params.is_empty() { String::new() } else { format!(", {}", parameters(r.params)) };
        let bound = bound(r.bound, r.absolute, r.domain);
        writeln!(lines, "| `a.{}(b, c{params})` | `{}` | {bound} |", r.method, r.call).expect("a string");
    }
    text.push_str(&lines);
    page("operations.md", &text);
}

/// Tables of equivalents name operations on tiles as methods of `x`, `a` and `b`: all of them exist.
#[test]
fn equivalents_exist() {
    let shapes = "block matmul transpose bcast_rows bcast_cols bcast_scalar sum_row sum_col sum_scalar max_row max_col max_scalar \
                  mean_row mean_col mean_scalar get_noc_addr";
    let mut known: BTreeSet<&str> = shapes.split_whitespace().collect();
    known.extend(UnaryOp::ALL.iter().map(|op| op.row().method));
    known.extend(BinaryOp::ALL.iter().map(|op| op.row().method));
    known.extend(TernaryOp::ALL.iter().map(|op| op.row().method));
    for name in ["from_metalium.md", "from_tt_lang.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book").join(name);
        let text = std::fs::read_to_string(&path).expect("the page");
        let mut seen = 0;
        for of in ["x.", "a.", "b."] {
            for at in text.split(['`', ' ']).filter_map(|word| word.strip_prefix(of)) {
                let method: String = at.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                assert!(known.contains(method.as_str()), "{name}: `{of}{method}` does not exist");
                seen += 1;
            }
        }
        assert!(seen > 5, "{name}: {seen}");
    }
}

/// The names of the functions that a piece of C++ calls.
fn called(cpp: &str) -> String {
    let names: BTreeSet<&str> = cpp
        .split('(')
        .filter(|before| before.len() < cpp.len())
        .filter_map(|before| before.split(|c: char| !c.is_alphanumeric() && !"_<>:.,".contains(c)).next_back())
        .map(|name| name.split('<').next().unwrap_or(name))
        .filter(|name| {
            name.starts_with(|c: char| c.is_alphabetic()) && *name != "decltype" && *name != "reinterpret_cast"
        })
        .collect();
    if names.is_empty() { cpp.to_owned() } else { names.into_iter().collect::<Vec<_>>().join("`, `") }
}

#[test]
fn calls() {
    let mut text = String::from(
        "# Calls, one to one\n\nThe kernel API of TT-Metalium and the methods of ttl that become its calls, from the tables of the C++ writer. Element-wise operations are on the page of\n\
         [operations](crate::book::operations), what safe code writes instead of most of these on [the one for those who come from there](crate::book::from_metalium);\n\
         `docs/api-coverage.md` goes through all functions of the headers.\n\n\
         ## Data movement\n\nMethods of `noc: Noc`, of `noc.raw()` and of what they give; [`ttl::raw`](crate::raw) documents them.\n\n| C++ | method |\n|---|---|\n",
    );
    let rows: BTreeSet<(String, &str)> =
        call::rows().filter(|r| !r.is_for_compute() && !r.operator).map(|r| (called(r.cpp), r.method)).collect();
    assert!(rows.len() > 60, "{}", rows.len());
    for (cpp, method) in rows {
        writeln!(text, "| `{cpp}` | `{method}` |").expect("a string");
    }
    text.push_str(
        "\n## Tiles\n\nMethods of [`TileRegs`](crate::prelude::TileRegs) and [`PackRegs`](crate::prelude::PackRegs). The init is placed by the compiler.\n\n\
         | C++ | init | method |\n|---|---|---|\n",
    );
    let name = |text: String| text.split('(').next().unwrap_or_default().to_owned();
    let rows: BTreeSet<(String, String, &str)> = ttl_runtime::ops::TILE_METHODS
        .iter()
        .filter(|(_, call)| call.exists())
        .map(|(method, call)| (name(call.call(false)), name(call.init(false)), *method))
        .collect();
    assert!(rows.len() > 40, "{}", rows.len());
    for (call, init, method) in rows {
        let init = if init.is_empty() { String::new() } else { format!("`{init}`") };
        writeln!(text, "| `{call}` | {init} | `{method}` |").expect("a string");
    }
    page("calls.md", &text);
}

/// The variants of an enum in a source file.
fn variants(file: &str, name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&path).expect("a source file");
    let body = text.split(&format!("pub enum {name} {{")).nth(1).and_then(|t| t.split("\n}").next()).expect("the enum");
    let names = body.lines().filter_map(|line| line.trim().strip_suffix(','));
    names.filter(|n| n.chars().all(char::is_alphanumeric)).map(str::to_string).collect()
}

#[test]
fn every_kind_of_error_is_explained() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/errors.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    for (file, name) in
        [("ttl-runtime/src/program/error.rs", "ProblemKind"), ("ttl-runtime/src/sim/error.rs", "ErrorKind")]
    {
        let kinds = variants(file, name);
        assert!(kinds.len() > 10, "{name}: {kinds:?}");
        for kind in kinds {
            assert!(page.contains(&format!("`{kind}`")), "{name}::{kind} is not on the page of errors");
        }
    }
}
