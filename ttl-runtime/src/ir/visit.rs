//! Walks over the IR that verifier, passes and writer share.

pub use super::operands::{blocks_of, expr_exprs, init_exprs, op_exprs, stmt_exprs};
use super::operands::{blocks_of_mut, expr_exprs_mut, stmt_exprs_mut};
use super::{BinOp, Expr, ExprKind, FnId, Init, Leaf, LocalId, Op, Query, Stmt, StmtKind, Ty};
use std::collections::BTreeSet;

/// Every statement of a block, outer ones before those inside them.
pub fn each_stmt<'a>(block: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        f(stmt);
        for inner in blocks_of(stmt) {
            each_stmt(inner, f);
        }
    }
}

/// Every expression of a block, outer ones first, to be changed.
pub fn each_value_mut(block: &mut [Stmt], f: &mut dyn FnMut(&mut Expr)) {
    for stmt in block {
        stmt_exprs_mut(stmt, &mut |e| each_expr_mut(e, f));
        for inner in blocks_of_mut(stmt) {
            each_value_mut(inner, f);
        }
    }
}

fn each_expr_mut(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    f(expr);
    expr_exprs_mut(expr, &mut |e| each_expr_mut(e, f));
}

/// The circular buffers and accessors an operation names.
pub fn op_locals(op: &Op, f: &mut dyn FnMut(LocalId)) {
    match op {
        Op::ReserveBack { cb, .. }
        | Op::PushBack { cb, .. }
        | Op::WaitFront { cb, .. }
        | Op::PopFront { cb, .. }
        | Op::KeepFront { cb }
        | Op::CopyTile { cb, .. }
        | Op::ReuseDest { cb, .. }
        | Op::WriteWord { cb, .. }
        | Op::PackTile { cb, .. } => f(*cb),
        Op::ReadPage { tensor, cb, .. } | Op::WritePage { tensor, cb, .. } => {
            f(*tensor);
            f(*cb);
        }
        Op::SendPages { src, dst, to, .. } => [*src, *dst, to.local()].into_iter().for_each(f),
        Op::SemaphoreSet { semaphore, .. } | Op::SemaphoreWait { semaphore, .. } => f(*semaphore),
        Op::SemaphoreInc { semaphore, core, .. } => [*semaphore, *core].into_iter().for_each(f),
        Op::SemaphoreSend { semaphore, to, .. } => [*semaphore, to.local()].into_iter().for_each(f),
        Op::PipeSend(send) => send.locals().into_iter().for_each(f),
        Op::Call(call) => call.names().for_each(f),
        Op::PipeReceive(receive) => receive.locals().into_iter().for_each(f),
        Op::BinaryTiles { a, b, .. } | Op::MatmulTiles { a, b, .. } | Op::MatmulBlock { a, b, .. } => {
            f(*a);
            f(*b);
        }
        Op::Store(s) => {
            f(s.cb);
            leaf_locals(&s.leaves, f);
        }
        Op::Accumulate(s) => leaf_locals(&s.leaves, f),
        Op::Tile(t) => t.ins.iter().for_each(|cb| f(*cb)),
        Op::Init(init) => init_locals(init, f),
        Op::ReadBarrier
        | Op::WriteBarrier
        | Op::WritesFlushed
        | Op::AtomicBarrier
        | Op::Acquire
        | Op::Zeros { .. }
        | Op::Commit
        | Op::Release
        | Op::Unary { .. }
        | Op::CopyRegs { .. }
        | Op::BinaryRegs { .. }
        | Op::TernaryRegs { .. } => {}
    }
}

fn leaf_locals(leaves: &[Leaf], f: &mut dyn FnMut(LocalId)) {
    for leaf in leaves {
        if let Leaf::Front { cb, .. } = leaf {
            f(*cb);
        }
    }
}

/// The circular buffers an init names.
pub fn init_locals(init: &Init, f: &mut dyn FnMut(LocalId)) {
    match init {
        Init::Startup { in0, in1, out, .. } => [*in0, *in1, *out].into_iter().for_each(f),
        Init::Copy { cb } | Init::ReuseDest { cb, .. } | Init::PackReconfig { cb } => f(*cb),
        Init::Binary { a, b, .. } | Init::Matmul { a, b } | Init::MatmulBlock { a, b, .. } => {
            f(*a);
            f(*b);
        }
        Init::Reconfig { srca, srcb } => srca.iter().chain(srcb).for_each(|cb| f(*cb)),
        Init::Tile(t) => t.ins.iter().for_each(|cb| f(*cb)),
        Init::Undo(_)
        | Init::L1Acc(_)
        | Init::Unary(..)
        | Init::BinaryRegs(..)
        | Init::TernaryRegs(_)
        | Init::CopyRegs => {}
    }
}

/// An expression and all inside it, outer ones first.
pub fn each_expr<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    f(expr);
    expr_exprs(expr, &mut |e| each_expr(e, f));
}

/// A call of an expression.
#[derive(Clone, Copy, Debug)]
pub struct CallSite<'a> {
    pub callee: FnId,
    pub args: &'a [Expr],
    /// Behind `&&` or `||`: it may not happen.
    pub conditional: bool,
}

/// The calls of a statement itself, those inside others first.
pub fn stmt_calls<'a>(stmt: &'a Stmt, f: &mut dyn FnMut(CallSite<'a>)) {
    stmt_exprs(stmt, &mut |e| expr_calls(e, f));
}

/// The calls of an expression, those inside others first.
pub fn expr_calls<'a>(expr: &'a Expr, f: &mut dyn FnMut(CallSite<'a>)) {
    calls_in(expr, false, f);
}

fn calls_in<'a>(expr: &'a Expr, conditional: bool, f: &mut dyn FnMut(CallSite<'a>)) {
    match &expr.kind {
        ExprKind::Neg(x)
        | ExprKind::Not(x)
        | ExprKind::Cast(x)
        | ExprKind::Bits(x)
        | ExprKind::Field(x, _)
        | ExprKind::Repeat(x) => calls_in(x, conditional, f),
        ExprKind::Index(a, b) => {
            calls_in(a, conditional, f);
            calls_in(b, conditional, f);
        }
        ExprKind::Struct(xs) | ExprKind::Array(xs) => xs.iter().for_each(|x| calls_in(x, conditional, f)),
        ExprKind::Binary(op, a, b) => {
            calls_in(a, conditional, f);
            let lazy = matches!(op, BinOp::And | BinOp::Or);
            calls_in(b, conditional || lazy, f);
        }
        ExprKind::Call(callee, args) => {
            args.iter().for_each(|a| calls_in(a, conditional, f));
            f(CallSite { callee: *callee, args, conditional });
        }
        ExprKind::Query(Query::Word { word, .. }) => calls_in(word, conditional, f),
        ExprKind::Query(Query::Call(call)) => call.exprs().for_each(|e| calls_in(e, conditional, f)),
        ExprKind::Int(_)
        | ExprKind::F32(_)
        | ExprKind::Bool(_)
        | ExprKind::Variant(_)
        | ExprKind::Local(_)
        | ExprKind::Erased
        | ExprKind::Query(_) => {}
    }
}

/// Whether an expression calls a function.
pub fn has_call(expr: &Expr) -> bool {
    let mut found = false;
    each_expr(expr, &mut |e| {
        found |= matches!(e.kind, ExprKind::Call(..));
    });
    found
}

/// The local a query is about. Those of a call are its operands.
pub const fn query_local(query: &Query) -> Option<LocalId> {
    match query {
        Query::CoreX | Query::CoreY | Query::Call(_) => None,
        Query::WritePtr(l)
        | Query::ReadPtr(l)
        | Query::PageSize(l)
        | Query::TileSize(l)
        | Query::Word { cb: l, .. } => Some(*l),
    }
}

/// The locals whose values an expression reads.
pub fn expr_locals(expr: &Expr, into: &mut BTreeSet<LocalId>) {
    each_expr(expr, &mut |e| match &e.kind {
        ExprKind::Local(l) => {
            into.insert(*l);
        }
        ExprKind::Query(Query::Call(call)) => into.extend(call.names()),
        ExprKind::Query(q) => into.extend(query_local(q)),
        _ => {}
    });
}

/// The locals that statements of a block declare or change, at any depth.
pub fn written_locals(block: &[Stmt]) -> BTreeSet<LocalId> {
    let mut written = BTreeSet::new();
    each_stmt(block, &mut |s| match &s.kind {
        StmtKind::Let { local, .. } => {
            written.insert(*local);
        }
        StmtKind::For(f) => {
            written.insert(f.local);
        }
        _ => {}
    });
    written.extend(assigned_locals(block));
    written
}

/// The locals that a call gets a `&mut` to. None for other expressions.
pub fn lent_locals(expr: &Expr) -> impl Iterator<Item = LocalId> + '_ {
    let args: &[Expr] = match &expr.kind {
        ExprKind::Call(_, args) => args,
        _ => &[],
    };
    args.iter().filter_map(|arg| match (&arg.kind, &arg.ty) {
        (_, Ty::Ref { mutable: true, to }) if to.is_data() => arg.root(),
        _ => None,
    })
}

/// The locals that statements of a block change, at any depth: by assignment, or by a call that gets a `&mut` to them.
pub fn assigned_locals(block: &[Stmt]) -> BTreeSet<LocalId> {
    let mut assigned = BTreeSet::new();
    each_stmt(block, &mut |s| {
        match &s.kind {
            StmtKind::Assign { local, .. } => {
                assigned.insert(*local);
            }
            StmtKind::Set { place, .. } => assigned.extend(place.root()),
            _ => {}
        }
        stmt_exprs(s, &mut |e| each_expr(e, &mut |e| assigned.extend(lent_locals(e))));
    });
    assigned
}

/// The locals that a block reads in any way.
pub fn read_locals(block: &[Stmt]) -> BTreeSet<LocalId> {
    let mut read = BTreeSet::new();
    each_stmt(block, &mut |s| {
        stmt_exprs(s, &mut |e| expr_locals(e, &mut read));
        match &s.kind {
            StmtKind::Op(op) => op_locals(op, &mut |l| {
                read.insert(l);
            }),
            StmtKind::Debug(debug) => read.extend(debug.local()),
            _ => {}
        }
    });
    read
}
