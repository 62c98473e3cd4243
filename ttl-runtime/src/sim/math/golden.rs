//! Vectors that ttsim computed from own kernels, compared bit for bit.
//!
//! `TTL_GOLDEN=DIR` names a directory of cases, each with `meta.txt` (operation, chip, 32-bit registers, fidelity, approximate,
//! input format, output format), operands `A.bin B.bin C.bin` and the result `O.bin`, tiles as in L1. Without it the small files of
//! the repository are used.

use std::path::Path;

use super::{MathConfig, Numerics, ReuseDest, Tile};
use crate::arch::{ArchKind, MathFidelity};
use crate::ops::{BinaryOp, UnaryOp};
use crate::tensor::format::DataFormat;

pub(super) struct Case {
    name: String,
    pub(super) op: String,
    pub(super) cfg: MathConfig,
    pub(super) input: DataFormat,
    pub(super) output: DataFormat,
    /// Of the third and fourth operand.
    pub(super) scaler: DataFormat,
    operands: [Vec<u8>; 4],
    expected: Vec<u8>,
}

fn format(name: &str) -> DataFormat {
    *DataFormat::ALL.iter().find(|f| f.spec_name() == name).expect("a format")
}

fn read(dir: &Path) -> Option<Case> {
    let file = |name: &str| std::fs::read(dir.join(name)).ok();
    let meta = String::from_utf8(file("meta.txt")?).ok()?;
    let words: Vec<&str> = meta.split_whitespace().collect();
    let [op, arch, fp32, fidelity, approx, input, output, ..] = words[..] else { panic!("{meta}") };
    let cfg = MathConfig {
        arch: if arch == "wormhole" { ArchKind::Wormhole } else { ArchKind::Blackhole },
        fidelity: match fidelity {
            "lofi" => MathFidelity::LoFi,
            "hifi2" => MathFidelity::HiFi2,
            "hifi3" => MathFidelity::HiFi3,
            _ => MathFidelity::HiFi4,
        },
        long: false,
        fp32_dest: fp32 == "1",
        approx: approx == "1",
        bfp8_pack_precise: approx == "precise",
        numerics: Numerics::Exact,
    };
    let a = file("A.bin")?;
    let operand = |name: &str| file(name).unwrap_or_else(|| a.clone());
    let operands = [a.clone(), operand("B.bin"), operand("C.bin"), operand("D.bin")];
    let name = dir.file_name()?.to_string_lossy().into_owned();
    Some(Case {
        name,
        op: op.into(),
        cfg,
        input: format(input),
        output: format(output),
        scaler: format(words.get(7).unwrap_or(&input)),
        operands,
        expected: file("O.bin")?,
    })
}

impl Case {
    fn format(&self, operand: usize) -> DataFormat {
        if operand < 2 { self.input } else { self.scaler }
    }

    pub(super) fn l1(&self, operand: usize, i: usize) -> &[u8] {
        let size = self.format(operand).tile_bytes() as usize;
        &self.operands[operand][i * size..(i + 1) * size]
    }

    pub(super) fn src(&self, operand: usize, i: usize) -> Tile {
        let mut tile = Tile::ZERO;
        super::unpack_src(&self.cfg, self.format(operand), self.l1(operand, i), &mut tile);
        tile
    }

    pub(super) fn copy(&self, operand: usize, i: usize, dst: &mut Tile) {
        super::copy_tile(&self.cfg, self.format(operand), self.l1(operand, i), dst);
    }

    pub(super) fn direct(&self, operand: usize, i: usize, dst: &mut Tile) {
        super::unpack_to_dest_fp32(self.l1(operand, i), dst);
    }
}

/// The tile operations of the kernel, on tile number `i`.
fn compute(case: &Case, i: usize) -> Tile {
    if let Some(dst) = super::golden_tiles::compute(case, i) {
        return dst;
    }
    let cfg = &case.cfg;
    let src = |operand: usize| case.src(operand, i);
    let mut dst = Tile::ZERO;
    let copy = |operand: usize, dst: &mut Tile| case.copy(operand, i, dst);
    let direct = |operand: usize, dst: &mut Tile| case.direct(operand, i, dst);
    let product =
        |left: usize, right: usize, dst: &mut Tile| super::matmul_tiles(cfg, &src(left), &src(right), false, dst);
    let binary = |name: &str| match name {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        _ => panic!("{name}"),
    };
    let unary = |name: &str| UnaryOp::from_method(name).expect("an operation");
    match case.op.as_str() {
        "copy" => copy(0, &mut dst),
        "fresh" => {}
        "direct" => direct(0, &mut dst),
        "mul" => super::mul_tiles(cfg, &src(0), &src(1), &mut dst),
        "fma" => {
            copy(2, &mut dst);
            super::mul_tiles(cfg, &src(0), &src(1), &mut dst);
        }
        "add" => super::add_tiles(cfg, &src(0), &src(1), false, &mut dst),
        "sub" => super::sub_tiles(cfg, &src(0), &src(1), false, &mut dst),
        "add_acc" | "sub_acc" => {
            copy(2, &mut dst);
            let run = if case.op == "add_acc" { super::add_tiles } else { super::sub_tiles };
            run(cfg, &src(0), &src(1), true, &mut dst);
        }
        "matmul" => {
            copy(2, &mut dst);
            product(0, 1, &mut dst);
            product(1, 2, &mut dst);
        }
        "matmul1" | "packmm" => product(0, 1, &mut dst),
        "matmult" => super::matmul_tiles(cfg, &src(0), &src(1), true, &mut dst),
        op => {
            if let Some(rest) = op.strip_prefix("reuse_") {
                let (name, side) = rest.split_at(3);
                let side = if side == "_A" { ReuseDest::DestToSrcA } else { ReuseDest::DestToSrcB };
                super::mul_tiles(cfg, &src(1), &src(2), &mut dst);
                super::reuse_dest(cfg, binary(name), side, case.input, &src(0), &mut dst);
            } else if let Some(name) = op.strip_prefix("sfpu_") {
                let mut regs = [Tile::ZERO, Tile::ZERO, Tile::ZERO];
                copy(0, &mut regs[0]);
                copy(1, &mut regs[1]);
                super::sfpu_binary(cfg, binary(name), &[], &mut regs, [0, 1], 2);
                return regs[2].clone();
            } else if let Some(name) = op.strip_prefix("mm_sfpu_") {
                let mut regs = [Tile::ZERO, Tile::ZERO];
                product(0, 1, &mut regs[0]);
                product(1, 2, &mut regs[1]);
                super::sfpu_binary(cfg, binary(name), &[], &mut regs, [0, 1], 1);
                return regs[1].clone();
            } else if let Some(name) = op.strip_prefix("direct_sfpu_") {
                let mut regs = [Tile::ZERO, Tile::ZERO, Tile::ZERO];
                direct(0, &mut regs[0]);
                direct(1, &mut regs[1]);
                super::sfpu_binary(cfg, binary(name), &[], &mut regs, [0, 1], 2);
                return regs[2].clone();
            } else if let Some(name) = op.strip_prefix("mm_") {
                product(0, 1, &mut dst);
                super::sfpu_unary(cfg, unary(name), &[], &mut dst);
            } else if let Some(name) = op.strip_prefix("direct_") {
                direct(0, &mut dst);
                super::sfpu_unary(cfg, unary(name), &[], &mut dst);
            } else {
                copy(0, &mut dst);
                super::sfpu_unary(cfg, unary(op), &[], &mut dst);
            }
        }
    }
    dst
}

/// Differences, and the first few of them in words.
fn compare(case: &Case) -> (usize, usize, String) {
    let size = case.output.tile_bytes() as usize;
    let element = case.output.element_bytes().unwrap_or(1) as usize;
    let (mut total, mut wrong, mut text) = (0, 0, String::new());
    for (i, expected) in case.expected.chunks_exact(size).enumerate() {
        let got = super::golden_tiles::packed(case, i).unwrap_or_else(|| {
            let mut got = vec![0; size];
            super::pack(&case.cfg, &compute(case, i), case.output, &mut got);
            got
        });
        for (j, (g, e)) in got.chunks_exact(element).zip(expected.chunks_exact(element)).enumerate() {
            total += 1;
            if g != e {
                wrong += 1;
                if wrong <= 3 {
                    let hex = |b: &[u8]| b.iter().rev().map(|x| format!("{x:02x}")).collect::<String>();
                    let operand = |k: usize| {
                        let format = case.format(k);
                        let width = format.element_bytes().unwrap_or(1) as usize;
                        let at = i * format.tile_bytes() as usize + j * width;
                        hex(case.operands[k].get(at..at + width).unwrap_or_default())
                    };
                    let (a, b, c) = (operand(0), operand(1), operand(2));
                    text +=
                        &format!("\n    tile {i} element {j}: {} instead of {} (a {a} b {b} c {c})", hex(g), hex(e));
                }
            }
        }
    }
    (total, wrong, text)
}

#[test]
fn results_are_those_of_ttsim() {
    let dir = std::env::var("TTL_GOLDEN")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/golden").into());
    let mut dirs: Vec<_> = std::fs::read_dir(&dir).expect(&dir).flatten().map(|e| e.path()).collect();
    dirs.sort();
    let mut bad = Vec::new();
    let mut count = 0;
    for case in dirs.iter().filter_map(|d| read(d)) {
        let (total, wrong, text) = compare(&case);
        count += 1;
        println!("{:40} {:7} of {total} equal{text}", case.name, total - wrong);
        if wrong != 0 {
            bad.push(case.name);
        }
    }
    assert!(count > 0, "no cases in {dir}");
    assert!(bad.is_empty(), "{} of {count} cases differ: {}", bad.len(), bad.join(", "));
}
