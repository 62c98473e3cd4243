//! Tile calls and their inits as operations of the IR.

use super::{Expr, LocalId};
use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim, TileCall};

/// A tile call: its operands in the order of the C++ function.
#[derive(Clone, Debug, PartialEq)]
pub struct TileOp {
    pub call: TileCall,
    /// Blocks that are read.
    pub ins: Vec<LocalId>,
    /// A tile of each block, the register, and what else the call takes.
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

    /// The register.
    pub fn dst(&self) -> Option<&Expr> {
        self.args.get(self.call.buffers())
    }

    pub fn init(&self) -> TileInit {
        TileInit { call: self.call, ins: self.ins.clone() }
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
