//! What a plan is: steps, registers, and why there may be none.

use crate::ir::dag::Words;
use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim, TernaryOp, UnaryOp};
use crate::tensor::format::DataFormat;

/// What the planner must know of a leaf. Two leaves are two buffers or positions: the same guard has to be the same leaf.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LeafInfo {
    /// Tiles at the front of a circular buffer.
    Front {
        format: DataFormat,
        /// f32 tiles that go to the registers unrounded (`UnpackToDestFp32`). Such a buffer cannot feed the matrix unit.
        to_dest: bool,
    },
    /// The accumulator, in slot 0.
    Acc,
}

/// One operation on every tile of a section. `leaf` numbers are those of the DAG.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    Copy {
        leaf: u32,
        slot: u32,
    },
    /// Two leaves to a register; `Mul` adds to it.
    Fpu {
        op: BinaryOp,
        a: u32,
        b: u32,
        slot: u32,
    },
    /// `slot = slot op leaf`, reversed `slot = leaf op slot`.
    ReuseDest {
        op: BinaryOp,
        reversed: bool,
        leaf: u32,
        slot: u32,
    },
    /// In place; or, for an operation that creates, into the slot.
    Unary {
        op: UnaryOp,
        slot: u32,
        words: Words,
    },
    /// `out = a op b`, all slots.
    Regs {
        op: BinaryOp,
        a: u32,
        b: u32,
        out: u32,
        words: Words,
    },
    /// `out = op(operands)`, all slots.
    Ternary {
        op: TernaryOp,
        operands: [u32; 3],
        out: u32,
        words: Words,
    },
    CopyRegs {
        from: u32,
        to: u32,
    },
    /// A broadcast leaf to a register.
    CopyBcast {
        bcast: Bcast,
        leaf: u32,
        slot: u32,
    },
    /// Leaf `a` and broadcast leaf `b` to a register; `Mul` adds to it.
    FpuBcast {
        op: BinaryOp,
        bcast: Bcast,
        a: u32,
        b: u32,
        slot: u32,
    },
    Transpose {
        leaf: u32,
        slot: u32,
    },
    /// All tiles of a row, of a column or of the block, onto a fresh register.
    Reduce {
        pool: Pool,
        dim: ReduceDim,
        leaf: u32,
        slot: u32,
        /// The scaler tile is f32: what goes through the source registers once more keeps 11 bits.
        wide: bool,
    },
    /// Adds the matrix product of two leaves to slot 0 of all tiles of the section.
    Matmul {
        a: u32,
        b: u32,
    },
}

impl Step {
    /// Whether it needs the row or the column of its tile, not only the number in the block.
    pub const fn is_shaped(&self) -> bool {
        match self {
            Step::CopyBcast { .. } | Step::FpuBcast { .. } | Step::Transpose { .. } | Step::Reduce { .. } => true,
            Step::Copy { .. }
            | Step::Fpu { .. }
            | Step::ReuseDest { .. }
            | Step::Unary { .. }
            | Step::Regs { .. }
            | Step::Ternary { .. }
            | Step::CopyRegs { .. }
            | Step::Matmul { .. } => false,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub slots_per_tile: u32,
    pub result_slot: u32,
    /// Tiles that fit between acquire and release.
    pub tiles_per_section: u32,
    /// Slot 0 is the accumulator.
    pub acc: bool,
    /// Slot 0 is where matrix products add up.
    pub matmul: bool,
}

impl Plan {
    /// Whether the vector unit reads the accumulator, which must have been written then.
    pub fn reads_acc(&self) -> bool {
        self.acc
            && self.steps.iter().any(|step| match *step {
                Step::Regs { a, b, .. } => a == 0 || b == 0,
                Step::Ternary { operands, .. } => operands.contains(&0),
                Step::CopyRegs { from, .. } => from == 0,
                Step::Unary { slot, .. } => slot == 0,
                _ => false,
            })
    }

    /// Register of a slot of tile `tile` of a section.
    pub const fn register(&self, tile: u32, slot: u32) -> u32 {
        let (stride, offset) = self.register_terms(slot);
        tile * stride + offset
    }

    /// Register of `slot` as `tile * stride + offset`.
    pub const fn register_terms(&self, slot: u32) -> (u32, u32) {
        match (self.acc || self.matmul, slot) {
            (false, _) => (self.slots_per_tile, slot),
            (true, 0) => (1, 0),
            (true, _) => (self.slots_per_tile - 1, self.tiles_per_section + slot - 1),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    #[error(
        "the expression needs {needed} tile registers per tile, {available} are available ({width}-bit registers)\n\
         help: store a part of it to a circular buffer first"
    )]
    TooManyRegisters { needed: u32, available: u32, width: u32 },
    #[error("internal error: the expression has no value")]
    Empty,
    #[error("internal error: leaf {leaf} of the expression is not described ({leaves} leaves are)")]
    UnknownLeaf { leaf: u32, leaves: u32 },
    #[error("internal error: the expression has more than one accumulator")]
    TwoAccumulators,
    #[error("internal error: an operand of a broadcast, reduction, transpose or product is no leaf")]
    NotCut,
    #[error(
        "an f32 buffer whose tiles go to the tile registers at full precision is broadcast, reduced, transposed or multiplied as a matrix; these go \
         through source registers of 19 bits\nhelp: leave it out of `compute_with_full_precision`"
    )]
    FullPrecision,
    #[error(
        "the number of {0} of an intermediate block is not known\nhelp: combine the broadcast vector with a block first"
    )]
    Unsized(&'static str),
    #[error("tiles of {kind} need 32-bit registers\nhelp: set `fp32_dest_acc` in the compute configuration")]
    NarrowIntegers { kind: &'static str },
    #[error("`{op}` needs 32-bit registers\nhelp: set `fp32_dest_acc` in the compute configuration")]
    WideOnly { op: &'static str },
    #[error("`{op}` does not exist for tiles of {kind}\nhelp: convert them with `to_f32`, `to_i32` or `to_u32` first")]
    NoForm { op: &'static str, kind: &'static str },
    #[error(
        "`{op}` of tiles of {left} and of {right}, and both must hold the same\nhelp: convert one with `to_f32`, `to_i32` or `to_u32`"
    )]
    MixedKinds { op: &'static str, left: &'static str, right: &'static str },
}
