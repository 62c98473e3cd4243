//! The tiles that reductions multiply by: filled at the beginning of the kernel, taken away at its end.

use super::{Expander, constant};
use crate::ir::passes::PassError;
use crate::ir::{Block, Expr, ExprKind, LocalId, Op, StmtKind, Ty};
use crate::ops::{Pool, ReduceDim, UnaryOp};
use crate::temps::{Scaler, TempKey};

impl Expander<'_> {
    /// The buffer with the scaler tile of a reduction.
    pub(super) fn scaler(&mut self, pool: Pool, dim: ReduceDim, [rows, cols]: [&Expr; 2], wide: bool) -> LocalId {
        let site = self.site();
        let scaler = Scaler::of(pool, dim, [constant(rows), constant(cols)], wide, self.config.fp32_dest_acc);
        let found = scaler.and_then(|s| self.function.temp(TempKey::Scaler(s)));
        found.unwrap_or_else(|| {
            self.failed.get_or_insert(match scaler {
                None => PassError::UnknownMean { site },
                Some(_) => {
                    let message = "a scaler tile was not declared".to_owned();
                    PassError::Internal { site, message }
                }
            });
            LocalId(0)
        })
    }

    /// Fills the scaler tiles at the beginning of the kernel and takes them away at its end.
    pub(super) fn scaler_tiles(&mut self, body: &mut Block) {
        let scalers: Vec<(Scaler, LocalId)> = self
            .function
            .temps
            .iter()
            .filter_map(|(key, cb)| match key {
                TempKey::Scaler(scaler) => Some((*scaler, *cb)),
                TempKey::Block { .. } | TempKey::Sum { .. } => None,
            })
            .collect();
        if scalers.is_empty() {
            return;
        }
        let pages = Expr::u32(1);
        self.line = body.last().map_or(self.function.line, |s| s.line);
        let pops: Block =
            scalers.iter().map(|(_, cb)| self.op(Op::PopFront { cb: *cb, pages: pages.clone() })).collect();
        before_returns(body, &pops);
        if !matches!(body.last().map(|s| &s.kind), Some(StmtKind::Return(_))) {
            body.extend(pops);
        }
        self.line = self.function.line;
        let mut fills = Block::new();
        for (scaler, cb) in scalers {
            let value = Expr { ty: Ty::F32, kind: ExprKind::F32(f32::from_bits(scaler.bits)) };
            let words = vec![Expr { ty: Ty::U32, kind: ExprKind::Bits(Box::new(value)) }];
            let dst = Expr::u32(0);
            for op in [
                Op::ReserveBack { cb, pages: pages.clone() },
                Op::Acquire,
                Op::Unary { op: UnaryOp::Fill, dst: dst.clone(), words },
                Op::Commit,
                Op::PackTile { dst, cb, index: None },
                Op::Release,
                Op::PushBack { cb, pages: pages.clone() },
                Op::WaitFront { cb, pages: pages.clone() },
            ] {
                fills.push(self.op(op));
            }
        }
        body.splice(0..0, fills);
    }
}

/// Puts statements in front of every `return`.
fn before_returns(block: &mut Block, what: &Block) {
    let mut at = 0;
    while at < block.len() {
        match &mut block[at].kind {
            StmtKind::Return(_) => {
                block.splice(at..at, what.iter().cloned());
                at += what.len();
            }
            StmtKind::If { then, els, .. } => {
                before_returns(then, what);
                before_returns(els, what);
            }
            StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::Block(body) => {
                before_returns(body, what)
            }
            StmtKind::For(l) => before_returns(&mut l.body, what),
            _ => {}
        }
        at += 1;
    }
}
