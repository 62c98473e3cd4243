//! Tile calls and their inits as operations of the IR.

use super::{Expr, Init, LocalId};
use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim, TileCall};

/// A tile call: its operands in the order of the C++ function.
#[derive(Clone, Debug, PartialEq)]
pub struct TileOp {
    pub call: TileCall,
    /// Blocks, in order.
    pub ins: Vec<LocalId>,
    /// Numbers: tiles of the blocks, the register, and what else the call takes.
    pub args: Vec<Expr>,
}

impl TileOp {
    /// `dst = a op b` with `b` broadcast (`Mul` adds).
    pub fn bcast(op: BinaryOp, dim: Bcast, [a, b]: [LocalId; 2], [ia, ib, dst]: [Expr; 3]) -> TileOp {
        TileOp { call: TileCall::Bcast(op, dim), ins: vec![a, b], args: vec![ia, ib, dst] }
    }

    /// The register takes in the reduction of a tile.
    pub fn reduce(
        pool: Pool,
        dim: ReduceDim,
        [src, scaler]: [LocalId; 2],
        [tile, scaler_tile, dst]: [Expr; 3],
    ) -> TileOp {
        TileOp { call: TileCall::Reduce(pool, dim), ins: vec![src, scaler], args: vec![tile, scaler_tile, dst] }
    }

    /// A call that takes one tile to a register: `UnaryBcast`, `Transpose`, `CopyTransposed`.
    pub fn unary(call: TileCall, src: LocalId, [tile, dst]: [Expr; 2]) -> TileOp {
        TileOp { call, ins: vec![src], args: vec![tile, dst] }
    }

    /// Adds the register to page `index` of the block.
    pub fn pack_acc(dst: Expr, cb: LocalId, index: Expr) -> TileOp {
        TileOp { call: TileCall::PackAcc, ins: vec![cb], args: vec![dst, index] }
    }

    /// The register.
    pub fn dst(&self) -> Option<&Expr> {
        self.call.register().and_then(|at| self.args.get(at))
    }

    /// The init that the matrix unit needs, if it has a part in the call.
    pub fn init(&self) -> Option<Init> {
        let tile = |call| Some(Init::Tile(TileInit { call, ins: self.ins.clone() }));
        match (self.call, self.ins.as_slice()) {
            // These bring and undo their own.
            (TileCall::Tilize | TileCall::PackUntilize | TileCall::PackUntilizePart, _) => None,
            (TileCall::PackBlock | TileCall::PackAcc | TileCall::PackRelu(_) | TileCall::PackUntilizeDest, _) => None,
            (TileCall::CopyBlock, [cb]) => Some(Init::Copy { cb: *cb }),
            (TileCall::BinaryBlock(op), [a, b]) => Some(Init::Binary { op, a: *a, b: *b }),
            (TileCall::TransposeBlock, _) => tile(TileCall::Transpose),
            (call, _) => tile(call.prepared()),
        }
    }

    /// The init is gone after the call.
    pub const fn clobbers(&self) -> bool {
        matches!(self.call, TileCall::Tilize | TileCall::PackUntilize | TileCall::PackUntilizePart)
    }

    /// The block that is written.
    pub fn output(&self) -> Option<LocalId> {
        self.call.output().and_then(|at| self.ins.get(at)).copied()
    }

    /// The blocks in SrcA and SrcB.
    pub fn sources(&self) -> [Option<LocalId>; 2] {
        let sources = self.call.sources();
        [sources.a, sources.b].map(|s| s.and_then(|s| self.ins.get(s)).copied())
    }
}

/// The init of a tile call.
#[derive(Clone, Debug, PartialEq)]
pub struct TileInit {
    pub call: TileCall,
    pub ins: Vec<LocalId>,
}
