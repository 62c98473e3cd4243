//! Walks over the IR that verifier, passes and writer share.

use super::{BinOp, Block, Debug, Expr, ExprKind, FnId, Init, Leaf, LocalId, Op, Query, Stmt, StmtKind, Ty};
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

/// The blocks directly inside a statement.
pub fn blocks_of(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If { then, els, .. } => vec![then, els],
        StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::Block(body) => {
            vec![body]
        }
        StmtKind::For(f) => vec![&f.body],
        _ => Vec::new(),
    }
}

/// The expressions of a statement itself, in the order they are evaluated; not those of blocks inside it.
pub fn stmt_exprs<'a>(stmt: &'a Stmt, f: &mut dyn FnMut(&'a Expr)) {
    match &stmt.kind {
        StmtKind::Let { init: Some(e), .. }
        | StmtKind::Assign { value: e, .. }
        | StmtKind::Eval(e)
        | StmtKind::If { cond: e, .. }
        | StmtKind::While { cond: e, .. }
        | StmtKind::Return(Some(e)) => f(e),
        StmtKind::For(l) => {
            f(&l.start);
            f(&l.end);
        }
        StmtKind::Set { place, value } => {
            f(place);
            f(value);
        }
        StmtKind::Debug(debug) => debug_exprs(debug, f),
        StmtKind::Op(op) => op_exprs(op, f),
        StmtKind::Let { init: None, .. }
        | StmtKind::Loop { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(None)
        | StmtKind::Block(_) => {}
    }
}

/// Every expression of a block outside of operations, outer ones first, to be changed.
pub fn each_value_mut(block: &mut [Stmt], f: &mut dyn FnMut(&mut Expr)) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Let { init: Some(e), .. }
            | StmtKind::Assign { value: e, .. }
            | StmtKind::Eval(e)
            | StmtKind::Return(Some(e)) => each_expr_mut(e, f),
            StmtKind::Set { place, value } => {
                each_expr_mut(place, f);
                each_expr_mut(value, f);
            }
            StmtKind::Debug(debug) => debug_exprs_mut(debug, &mut |e| each_expr_mut(e, f)),
            StmtKind::If { cond, then, els } => {
                each_expr_mut(cond, f);
                each_value_mut(then, f);
                each_value_mut(els, f);
            }
            StmtKind::While { cond, body } => {
                each_expr_mut(cond, f);
                each_value_mut(body, f);
            }
            StmtKind::Loop { body } | StmtKind::Block(body) => each_value_mut(body, f),
            StmtKind::For(l) => {
                each_expr_mut(&mut l.start, f);
                each_expr_mut(&mut l.end, f);
                each_value_mut(&mut l.body, f);
            }
            StmtKind::Op(op) => super::visit_mut::op_exprs_mut(op, &mut |e| each_expr_mut(e, f)),
            StmtKind::Let { init: None, .. } | StmtKind::Return(None) | StmtKind::Break | StmtKind::Continue => {}
        }
    }
}

fn each_expr_mut(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    f(expr);
    match &mut expr.kind {
        ExprKind::Neg(x)
        | ExprKind::Not(x)
        | ExprKind::Cast(x)
        | ExprKind::Bits(x)
        | ExprKind::Field(x, _)
        | ExprKind::Repeat(x) => each_expr_mut(x, f),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
            each_expr_mut(a, f);
            each_expr_mut(b, f);
        }
        ExprKind::Call(_, args) | ExprKind::Struct(args) | ExprKind::Array(args) => {
            args.iter_mut().for_each(|a| each_expr_mut(a, f))
        }
        ExprKind::Query(Query::Word { word, .. }) => each_expr_mut(word, f),
        ExprKind::Query(Query::Call(call)) => call.exprs_mut().for_each(|e| each_expr_mut(e, f)),
        _ => {}
    }
}

fn debug_exprs_mut(debug: &mut Debug, f: &mut dyn FnMut(&mut Expr)) {
    match debug {
        Debug::Assert { cond, message, .. } => {
            f(cond);
            message.iter_mut().flat_map(|m| &mut m.args).for_each(f);
        }
        Debug::Print(text) => text.args.iter_mut().for_each(f),
        Debug::Zone(_) => {}
    }
}

fn debug_exprs<'a>(debug: &'a Debug, f: &mut dyn FnMut(&'a Expr)) {
    match debug {
        Debug::Assert { cond, message, .. } => {
            f(cond);
            message.iter().flat_map(|m| &m.args).for_each(f);
        }
        Debug::Print(text) => text.args.iter().for_each(f),
        Debug::Zone(_) => {}
    }
}

/// The operands of an operation.
pub fn op_exprs<'a>(op: &'a Op, f: &mut dyn FnMut(&'a Expr)) {
    match op {
        Op::ReserveBack { pages, .. }
        | Op::PushBack { pages, .. }
        | Op::WaitFront { pages, .. }
        | Op::PopFront { pages, .. } => f(pages),
        Op::ReadPage { page, index, .. } | Op::WritePage { page, index, .. } => {
            f(page);
            f(index);
        }
        Op::WriteWord { word, value, .. } => {
            f(word);
            f(value);
        }
        Op::SendPages { pages, to, .. } => {
            f(pages);
            to.num_dests().into_iter().for_each(f);
        }
        Op::SemaphoreSet { value, .. } | Op::SemaphoreWait { value, .. } | Op::SemaphoreInc { value, .. } => f(value),
        Op::SemaphoreSend { to, .. } => to.num_dests().into_iter().for_each(f),
        Op::PipeSend(send) => {
            f(&send.pages);
            f(&send.receivers);
        }
        Op::PipeReceive(_) => {}
        Op::Call(call) => call.exprs().for_each(f),
        Op::KeepFront { .. }
        | Op::ReadBarrier
        | Op::WriteBarrier
        | Op::WritesFlushed
        | Op::AtomicBarrier
        | Op::Acquire
        | Op::Commit
        | Op::Release => {}
        Op::CopyTile { tile, dst, .. } | Op::ReuseDest { tile, dst, .. } => {
            f(tile);
            f(dst);
        }
        Op::BinaryTiles { ia, ib, dst, .. } | Op::MatmulTiles { ia, ib, dst, .. } => {
            f(ia);
            f(ib);
            f(dst);
        }
        Op::MatmulBlock { ia, ib, dst, ct, rt, kt, .. } => [ia, ib, dst, ct, rt, kt].into_iter().for_each(f),
        Op::Tile(t) => t.args.iter().for_each(f),
        Op::Unary { dst, words, .. } => {
            f(dst);
            words.iter().for_each(f);
        }
        Op::TernaryRegs { operands, dst, words, .. } => {
            operands.iter().for_each(&mut *f);
            f(dst);
            words.iter().for_each(f);
        }
        Op::CopyRegs { src, dst } => {
            f(src);
            f(dst);
        }
        Op::BinaryRegs { a, b, dst, words, .. } => {
            [a, b, dst].into_iter().for_each(&mut *f);
            words.iter().for_each(f);
        }
        Op::PackTile { dst, index, .. } => {
            f(dst);
            index.iter().for_each(f);
        }
        Op::Store(s) => {
            f(&s.pages);
            for leaf in &s.leaves {
                leaf.shape().iter().for_each(&mut *f);
            }
            s.scalars.iter().for_each(f);
        }
        Op::Zeros { shape } => shape.iter().for_each(f),
        Op::Accumulate(s) => {
            for leaf in &s.leaves {
                leaf.shape().iter().for_each(&mut *f);
            }
            s.scalars.iter().for_each(f);
        }
        Op::Init(init) => init_exprs(init, f),
    }
}

pub fn init_exprs<'a>(init: &'a Init, f: &mut dyn FnMut(&'a Expr)) {
    match init {
        Init::MatmulBlock { ct, rt, kt, .. } => [ct, rt, kt].into_iter().for_each(f),
        Init::Unary(_, words) | Init::BinaryRegs(_, words) => words.iter().for_each(f),
        _ => {}
    }
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
    match &expr.kind {
        ExprKind::Neg(x)
        | ExprKind::Not(x)
        | ExprKind::Cast(x)
        | ExprKind::Bits(x)
        | ExprKind::Field(x, _)
        | ExprKind::Repeat(x) => each_expr(x, f),
        ExprKind::Index(a, b) => {
            each_expr(a, f);
            each_expr(b, f);
        }
        ExprKind::Struct(xs) | ExprKind::Array(xs) => xs.iter().for_each(|x| each_expr(x, f)),
        ExprKind::Binary(_, a, b) => {
            each_expr(a, f);
            each_expr(b, f);
        }
        ExprKind::Call(_, args) => args.iter().for_each(|a| each_expr(a, f)),
        ExprKind::Query(Query::Word { word, .. }) => each_expr(word, f),
        ExprKind::Query(Query::Call(call)) => call.exprs().for_each(|e| each_expr(e, f)),
        ExprKind::Int(_)
        | ExprKind::F32(_)
        | ExprKind::Bool(_)
        | ExprKind::Variant(_)
        | ExprKind::Local(_)
        | ExprKind::Query(_)
        | ExprKind::Erased => {}
    }
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
        if let StmtKind::Op(op) = &s.kind {
            op_locals(op, &mut |l| {
                read.insert(l);
            });
        }
    });
    read
}
