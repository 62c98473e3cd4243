//! Operations of the vector unit on tile registers: load, compute in f32, round in software where the kernel library does, store.
//!
//! The algorithms are those of TT-Metalium's kernel library (0.81), step by step, since each step rounds: `programs` has one function
//! per operation, `steps` the instructions. A 16-bit register has only 65536 values: there each operation is tabulated on first use, by the same functions.

mod compare;
mod integers;
mod programs;
mod steps;

use std::sync::OnceLock;

use self::steps::{BLOCK, Reg, Unit};
use super::{MathConfig, Tile};
use crate::ops::{BinaryOp, UnaryOp, for_each_unary_op};

/// `dst = op(dst)`.
pub fn sfpu_unary(cfg: &MathConfig, op: UnaryOp, dst: &mut Tile) {
    if cfg.fp32_dest {
        run_unary(cfg, op, dst);
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
    let program = match op {
        BinaryOp::Add => programs::add,
        BinaryOp::Sub => programs::sub,
        BinaryOp::Mul => programs::mul,
    };
    for block in 0..1024 / BLOCK {
        let (x, y) = (load(&regs[d0], block), load(&regs[d1], block));
        store(&mut regs[out], block, &program(unit, &x, &y));
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
            run_unary(cfg, op, &mut tile);
            for (to, from) in chunk.iter_mut().zip(&tile.0) {
                *to = (from.to_bits() >> 16) as u16;
            }
        }
        table
    })
}

macro_rules! programs {
    ($($(#[$doc:meta])* $op:ident $method:ident $tile:ident;)*) => {
        fn program(op: UnaryOp) -> fn(Unit, &Reg) -> Reg {
            match op {
                $(UnaryOp::$op => programs::$method,)*
            }
        }
    };
}

for_each_unary_op!(programs);

/// Runs an operation block by block.
fn run_unary(cfg: &MathConfig, op: UnaryOp, dst: &mut Tile) {
    let unit = unit(cfg);
    let program = program(op);
    for block in 0..1024 / BLOCK {
        let x = load(dst, block);
        store(dst, block, &program(unit, &x));
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
