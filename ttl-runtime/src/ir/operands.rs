//! What is directly inside a statement, an operation or an expression: said once, for those who read and for those who change it.

use super::{Block, Debug, Dest, Expr, ExprKind, Init, Op, Query, Stmt, StmtKind};
use std::convert::Infallible;

impl StmtKind {
    /// With every block directly inside it replaced, the first one first.
    pub(super) fn map_blocks(self, f: &mut dyn FnMut(Block) -> Block) -> StmtKind {
        let Ok(kind) = self.try_map_blocks(&mut |block| Ok::<Block, Infallible>(f(block)));
        kind
    }

    /// The same, where a block may be refused.
    pub(super) fn try_map_blocks<E>(self, f: &mut dyn FnMut(Block) -> Result<Block, E>) -> Result<StmtKind, E> {
        Ok(match self {
            StmtKind::If { cond, then, els } => StmtKind::If { cond, then: f(then)?, els: f(els)? },
            StmtKind::While { cond, body } => StmtKind::While { cond, body: f(body)? },
            StmtKind::Loop { body } => StmtKind::Loop { body: f(body)? },
            StmtKind::For(mut l) => {
                l.body = f(l.body)?;
                StmtKind::For(l)
            }
            StmtKind::Block(body) => StmtKind::Block(f(body)?),
            StmtKind::Let { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Set { .. }
            | StmtKind::Eval(_)
            | StmtKind::Debug(_)
            | StmtKind::Op(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => self,
        })
    }
}

/// The functions for `&` or `&mut`; the names of the methods that go with it.
macro_rules! operands {
    ([$($mutable:tt)?] $iter:ident $exprs:ident
        $blocks_of:ident $stmt_exprs:ident $debug_exprs:ident $op_exprs:ident $init_exprs:ident $expr_exprs:ident) => {
        /// The blocks directly inside a statement.
        pub fn $blocks_of(stmt: & $($mutable)? Stmt) -> Vec<& $($mutable)? Block> {
            match & $($mutable)? stmt.kind {
                StmtKind::If { then, els, .. } => vec![then, els],
                StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::Block(body) => vec![body],
                StmtKind::For(l) => vec![& $($mutable)? l.body],
                _ => Vec::new(),
            }
        }

        /// The expressions of a statement itself, in the order they are evaluated; not those of blocks inside it.
        pub fn $stmt_exprs<'a>(stmt: &'a $($mutable)? Stmt, f: &mut dyn FnMut(&'a $($mutable)? Expr)) {
            match & $($mutable)? stmt.kind {
                StmtKind::Let { init: Some(e), .. }
                | StmtKind::Assign { value: e, .. }
                | StmtKind::Eval(e)
                | StmtKind::If { cond: e, .. }
                | StmtKind::While { cond: e, .. }
                | StmtKind::Return(Some(e)) => f(e),
                StmtKind::For(l) => {
                    let super::For { start, end, .. } = & $($mutable)? **l;
                    f(start);
                    f(end);
                }
                StmtKind::Set { place, value } => {
                    f(place);
                    f(value);
                }
                StmtKind::Debug(debug) => $debug_exprs(debug, f),
                StmtKind::Op(op) => $op_exprs(op, f),
                StmtKind::Let { init: None, .. }
                | StmtKind::Loop { .. }
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Return(None)
                | StmtKind::Block(_) => {}
            }
        }

        fn $debug_exprs<'a>(debug: &'a $($mutable)? Debug, f: &mut dyn FnMut(&'a $($mutable)? Expr)) {
            match debug {
                Debug::Assert { cond, message, .. } => {
                    f(cond);
                    message.$iter().flat_map(|m| m.args.$iter()).for_each(f);
                }
                Debug::Print(text) => text.args.$iter().for_each(f),
                Debug::Tile(part) => part.numbers.$iter().for_each(f),
                Debug::Zone(_) => {}
            }
        }

        /// The operands of an operation.
        pub fn $op_exprs<'a>(op: &'a $($mutable)? Op, f: &mut dyn FnMut(&'a $($mutable)? Expr)) {
            match op {
                Op::ReserveBack { pages, .. }
                | Op::PushBack { pages, .. }
                | Op::WaitFront { pages, .. }
                | Op::PopFront { pages, .. } => f(pages),
                Op::ReadPage { page, index, .. } | Op::WritePage { page, index, .. } => [page, index].into_iter().for_each(f),
                Op::WriteWord { word, value, .. } => [word, value].into_iter().for_each(f),
                Op::SendPages { pages, to, .. } => {
                    f(pages);
                    if let Dest::Many { num_dests, .. } = to {
                        f(num_dests);
                    }
                }
                Op::SemaphoreSet { value, .. } | Op::SemaphoreWait { value, .. } | Op::SemaphoreInc { value, .. } => f(value),
                Op::SemaphoreSend { to: Dest::Many { num_dests, .. }, .. } => f(num_dests),
                Op::PipeSend(send) => {
                    let super::pipe::Send { pages, receivers, .. } = & $($mutable)? **send;
                    [pages, receivers].into_iter().for_each(f);
                }
                Op::Call(call) => call.$exprs().for_each(f),
                Op::CopyTile { tile, dst, .. } | Op::ReuseDest { tile, dst, .. } => [tile, dst].into_iter().for_each(f),
                Op::BinaryTiles { ia, ib, dst, .. } | Op::MatmulTiles { ia, ib, dst, .. } => {
                    [ia, ib, dst].into_iter().for_each(f);
                }
                Op::MatmulBlock { ia, ib, dst, ct, rt, kt, .. } => [ia, ib, dst, ct, rt, kt].into_iter().for_each(f),
                Op::Tile(t) => t.args.$iter().for_each(f),
                Op::Unary { dst, words, .. } => {
                    f(dst);
                    words.$iter().for_each(f);
                }
                Op::TernaryRegs { operands, dst, words, .. } => {
                    operands.$iter().for_each(&mut *f);
                    f(dst);
                    words.$iter().for_each(f);
                }
                Op::CopyRegs { src, dst } => [src, dst].into_iter().for_each(f),
                Op::BinaryRegs { a, b, dst, words, .. } => {
                    [a, b, dst].into_iter().for_each(&mut *f);
                    words.$iter().for_each(f);
                }
                Op::PackTile { dst, index, .. } => {
                    f(dst);
                    index.$iter().for_each(f);
                }
                Op::Store(s) => {
                    let super::Store { pages, leaves, scalars, .. } = & $($mutable)? **s;
                    f(pages);
                    for super::Leaf::Front { shape, .. } | super::Leaf::Acc { shape, .. } in leaves {
                        shape.$iter().for_each(&mut *f);
                    }
                    scalars.$iter().for_each(f);
                }
                Op::Zeros { shape, .. } => shape.$iter().for_each(f),
                Op::Accumulate(s) => {
                    let super::Accumulate { leaves, scalars, .. } = & $($mutable)? **s;
                    for super::Leaf::Front { shape, .. } | super::Leaf::Acc { shape, .. } in leaves {
                        shape.$iter().for_each(&mut *f);
                    }
                    scalars.$iter().for_each(f);
                }
                Op::Init(init) => $init_exprs(init, f),
                Op::SemaphoreSend { to: Dest::Core(_), .. }
                | Op::PipeReceive(_)
                | Op::KeepFront { .. }
                | Op::ReadBarrier
                | Op::WriteBarrier
                | Op::WritesFlushed
                | Op::AtomicBarrier
                | Op::Acquire
                | Op::Commit
                | Op::Release => {}
            }
        }

        pub fn $init_exprs<'a>(init: &'a $($mutable)? Init, f: &mut dyn FnMut(&'a $($mutable)? Expr)) {
            match init {
                Init::MatmulBlock { ct, rt, kt, .. } => [ct, rt, kt].into_iter().for_each(f),
                Init::Unary(_, words) | Init::BinaryRegs(_, words) => words.$iter().for_each(f),
                Init::Startup { .. }
                | Init::Copy { .. }
                | Init::Binary { .. }
                | Init::ReuseDest { .. }
                | Init::Matmul { .. }
                | Init::Tile(_)
                | Init::Undo(_)
                | Init::L1Acc(_)
                | Init::TernaryRegs(_)
                | Init::CopyRegs
                | Init::Reconfig { .. }
                | Init::PackReconfig { .. } => {}
            }
        }

        /// The operands of an expression.
        pub fn $expr_exprs<'a>(expr: &'a $($mutable)? Expr, f: &mut dyn FnMut(&'a $($mutable)? Expr)) {
            match & $($mutable)? expr.kind {
                ExprKind::Neg(x)
                | ExprKind::Not(x)
                | ExprKind::Cast(x)
                | ExprKind::Bits(x)
                | ExprKind::Field(x, _)
                | ExprKind::Repeat(x)
                | ExprKind::Query(Query::Word { word: x, .. }) => f(x),
                ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                    f(a);
                    f(b);
                }
                ExprKind::Call(_, list) | ExprKind::Struct(list) | ExprKind::Array(list) => list.$iter().for_each(f),
                ExprKind::Query(Query::Call(call)) => call.$exprs().for_each(f),
                ExprKind::Int(_)
                | ExprKind::F32(_)
                | ExprKind::Bool(_)
                | ExprKind::Variant(_)
                | ExprKind::Local(_)
                | ExprKind::Query(_)
                | ExprKind::Erased => {}
            }
        }
    };
}

operands! { [] iter exprs blocks_of stmt_exprs debug_exprs op_exprs init_exprs expr_exprs }
operands! { [mut] iter_mut exprs_mut blocks_of_mut stmt_exprs_mut debug_exprs_mut op_exprs_mut init_exprs_mut expr_exprs_mut }
