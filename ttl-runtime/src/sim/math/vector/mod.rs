//! Operations of the vector unit on tile registers: load, compute in f32, round in software where the kernel library does, store.
//!
//! The algorithms are those of TT-Metalium's kernel library (0.81), step by step, since each step rounds: `programs` has one function
//! per operation, `steps` the instructions. A 16-bit register has only 65536 values: there each operation is tabulated on first use, by the same functions.

mod compare;
#[cfg(test)]
mod golden;
#[allow(dead_code)] // used by programs that no row names yet
mod integers;
mod lanes_across;
// Rows of the table name the programs; some may have none yet.
#[allow(dead_code)]
mod programs;
mod steps;

pub use lanes_across::{Running, cumsum, sfpu_reduce};
use std::sync::OnceLock;

use self::steps::{BLOCK, Reg, Unit};
use super::{MathConfig, Tile};
use crate::ops::{BinaryOp, TernaryOp, UnaryOp, for_each_binary_op, for_each_ternary_op, for_each_unary_op};

/// `dst = op(dst)`. `words` are those of the C++ calls, init first.
pub fn sfpu_unary(cfg: &MathConfig, op: UnaryOp, words: &[u32], dst: &mut Tile) {
    if cfg.fp32_dest || !op.row().words.is_empty() {
        run_unary(cfg, op, words, dst);
    } else {
        let table = table(cfg, op);
        for value in &mut dst.0 {
            *value = f32::from_bits(u32::from(table[(value.to_bits() >> 16) as usize]) << 16);
        }
    }
}

/// `regs[out] = regs[d0] op regs[d1]`; `out` may be one of the operands.
///
/// # Panics
/// If an index is outside `regs`.
pub fn sfpu_binary(cfg: &MathConfig, op: BinaryOp, regs: &mut [Tile], d0: usize, d1: usize, out: usize) {
    let unit = unit(cfg);
    let program = binary_program(op);
    for block in 0..1024 / BLOCK {
        let (x, y) = (load(&regs[d0], block), load(&regs[d1], block));
        store(&mut regs[out], block, &program(unit, &x, &y));
    }
}

/// `regs[out] = op(regs of operands)`; `out` may be one of the operands.
///
/// # Panics
/// If an index is outside `regs`.
pub fn sfpu_ternary(
    cfg: &MathConfig,
    op: TernaryOp,
    words: &[u32],
    regs: &mut [Tile],
    operands: [usize; 3],
    out: usize,
) {
    let unit = unit(cfg);
    let program = ternary_program(op);
    for block in 0..1024 / BLOCK {
        let [x, y, z] = operands.map(|r| load(&regs[r], block));
        store(&mut regs[out], block, &program(unit, &x, &y, &z, words));
    }
}

/// Results of an operation for every bf16 value.
fn table(cfg: &MathConfig, op: UnaryOp) -> &'static [u16; 65536] {
    static TABLES: [[OnceLock<Box<[u16; 65536]>>; 4]; UnaryOp::ALL.len()] =
        [const { [const { OnceLock::new() }; 4] }; UnaryOp::ALL.len()];
    let which = usize::from(cfg.wormhole()) * 2 + usize::from(cfg.approx);
    TABLES[op as usize][which].get_or_init(|| {
        let mut table: Box<[u16; 65536]> =
            vec![0u16; 65536].into_boxed_slice().try_into().unwrap_or_else(|_| Box::new([0; 65536]));
        let mut tile = Tile::ZERO;
        for (i, chunk) in table.chunks_exact_mut(1024).enumerate() {
            for (j, value) in tile.0.iter_mut().enumerate() {
                *value = f32::from_bits(((i * 1024 + j) as u32) << 16);
            }
            run_unary(cfg, op, &[], &mut tile);
            for (to, from) in chunk.iter_mut().zip(&tile.0) {
                *to = (from.to_bits() >> 16) as u16;
            }
        }
        table
    })
}

/// The steps of a unary operation; with the words of its calls if it has any.
enum Unary {
    Plain(fn(Unit, &Reg) -> Reg),
    With(fn(Unit, &Reg, &[u32]) -> Reg),
}

impl Unary {
    fn run(&self, unit: Unit, x: &Reg, words: &[u32]) -> Reg {
        match self {
            Unary::Plain(steps) => steps(unit, x),
            Unary::With(steps) => steps(unit, x, words),
        }
    }
}

/// Of the names in brackets the first is the program.
macro_rules! unary_program {
    (() [$program:ident $($method:ident)?]) => {
        Unary::Plain(programs::$program)
    };
    (($($param:ident: $ty:ident),+) [$program:ident $($method:ident)?]) => {
        Unary::With(programs::$program)
    };
}

macro_rules! unary_programs {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident $params:tt $program:tt $creates:tt;)*) => {
        fn unary_program(op: UnaryOp) -> Unary {
            match op {
                $(UnaryOp::$op => unary_program!($params $program),)*
            }
        }
    };
}

for_each_unary_op!(unary_programs);

macro_rules! binary_programs {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident [$program:ident $($default:ident)?];)*) => {
        fn binary_program(op: BinaryOp) -> fn(Unit, &Reg, &Reg) -> Reg {
            match op {
                $(BinaryOp::$op => programs::$program,)*
            }
        }
    };
}

for_each_binary_op!(binary_programs);

macro_rules! ternary_programs {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident $params:tt [$program:ident $($default:ident)?];)*) => {
        fn ternary_program(op: TernaryOp) -> fn(Unit, &Reg, &Reg, &Reg, &[u32]) -> Reg {
            match op {
                $(TernaryOp::$op => programs::$program,)*
            }
        }
    };
}

for_each_ternary_op!(ternary_programs);

/// Runs an operation block by block.
fn run_unary(cfg: &MathConfig, op: UnaryOp, words: &[u32], dst: &mut Tile) {
    let unit = unit(cfg);
    let program = unary_program(op);
    for block in 0..1024 / BLOCK {
        let x = load(dst, block);
        store(dst, block, &program.run(unit, &x, words));
    }
}

fn unit(cfg: &MathConfig) -> Unit {
    Unit { wormhole: cfg.wormhole(), fp32: cfg.fp32_dest, approx: cfg.approx }
}

fn load(tile: &Tile, block: usize) -> Reg {
    let values = &tile.0[block * BLOCK..][..BLOCK];
    Reg(std::array::from_fn(|i| values[i].to_bits()))
}

fn store(tile: &mut Tile, block: usize, reg: &Reg) {
    for (to, from) in tile.0[block * BLOCK..][..BLOCK].iter_mut().zip(reg.0) {
        *to = f32::from_bits(from);
    }
}

/// The arithmetic steps alone, for tests.
#[cfg(test)]
pub(super) mod test_steps {
    use super::steps::{Reg, Unit};

    pub(in crate::sim::math) const BLOCK: usize = super::BLOCK;

    /// `x * y + z`, `x * y` and `x + z`.
    pub(in crate::sim::math) fn run(wormhole: bool, columns: [Vec<u32>; 3]) -> [[u32; BLOCK]; 3] {
        let unit = Unit { wormhole, fp32: true, approx: false };
        let [x, y, z] = columns.map(|c| Reg(std::array::from_fn(|i| c[i])));
        [unit.mad(&x, &y, &z).0, unit.mul(&x, &y).0, unit.add(&x, &z).0]
    }
}
