//! Types of expressions, operands and operations.

use super::Checker;
use crate::ir::call::{Call, Effect, Kind, Operand};
use crate::ir::passes::buffers::format_of;
use crate::ir::{
    BinOp, Dest, Expr, ExprKind, IntTy, Leaf, LocalId, Module, Op, Query, StmtKind, Ty,
    dag::{Dag, Node},
    pipe, visit,
};
use crate::ops::TileCall;
use std::collections::BTreeSet;

/// The end of a circular buffer that an operation uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    In,
    Out,
}

/// The buffers of an operation with the end it uses.
pub(super) fn ends(op: &Op) -> Vec<(LocalId, End)> {
    match op {
        Op::ReserveBack { cb, .. }
        | Op::PushBack { cb, .. }
        | Op::ReadPage { cb, .. }
        | Op::WriteWord { cb, .. }
        | Op::PackTile { cb, .. } => vec![(*cb, End::Out)],
        Op::PipeReceive(receive) => vec![(receive.cb, End::Out)],
        Op::WaitFront { cb, .. }
        | Op::PopFront { cb, .. }
        | Op::KeepFront { cb }
        | Op::WritePage { cb, .. }
        | Op::CopyTile { cb, .. }
        | Op::ReuseDest { cb, .. } => vec![(*cb, End::In)],
        Op::BinaryTiles { a, b, .. } | Op::MatmulTiles { a, b, .. } | Op::MatmulBlock { a, b, .. } => {
            vec![(*a, End::In), (*b, End::In)]
        }
        Op::Tile(t) => {
            let end = |cb: LocalId| if t.output() == Some(cb) { End::Out } else { End::In };
            t.ins.iter().map(|cb| (*cb, end(*cb))).collect()
        }
        Op::Store(s) => {
            let mut ends = vec![(s.cb, End::Out)];
            ends.extend(leaf_ends(&s.leaves));
            ends
        }
        Op::Accumulate(s) => leaf_ends(&s.leaves).collect(),
        _ => Vec::new(),
    }
}

fn leaf_ends(leaves: &[Leaf]) -> impl Iterator<Item = (LocalId, End)> {
    leaves.iter().filter_map(|l| match l {
        Leaf::Front { cb, .. } => Some((*cb, End::In)),
        Leaf::Acc { .. } => None,
    })
}

/// The end of a buffer that a local stands for.
pub(super) fn end_of(ty: &Ty) -> Option<End> {
    match ty.peeled() {
        Ty::CbIn(_) | Ty::Front(_) => Some(End::In),
        Ty::CbOut(_) | Ty::Reserved(_) => Some(End::Out),
        _ => None,
    }
}

/// Which functions do something when called: an operation of their own, a change through a reference, or a call of such a function.
pub(super) fn effects(module: &Module) -> Vec<bool> {
    let mut effects: Vec<bool> = Vec::with_capacity(module.fns.len());
    for f in &module.fns {
        let changes = |l: &LocalId| {
            let ty = f.locals.get(l.0 as usize).map(|l| &l.ty);
            matches!(ty, Some(Ty::Ref { mutable: true, to }) if to.is_data())
        };
        let mut any = f.params.iter().any(changes);
        visit::each_stmt(&f.body, &mut |stmt| {
            any |= matches!(stmt.kind, StmtKind::Op(_) | StmtKind::Debug(_));
            visit::stmt_calls(stmt, &mut |call| {
                any |= effects.get(call.callee.0 as usize).copied().unwrap_or(false);
            });
        });
        effects.push(any);
    }
    effects
}

impl Checker<'_, '_> {
    /// Operands that C++ may evaluate in any order.
    pub(super) fn unordered(&mut self, operands: &[&Expr]) {
        let (mut acting, mut looking) = (0, 0);
        for operand in operands {
            let (mut acts, mut looks) = (false, false);
            visit::each_expr(operand, &mut |e| match &e.kind {
                ExprKind::Call(id, _) => acts |= self.effects.get(id.0 as usize).copied().unwrap_or(false),
                ExprKind::Query(Query::WritePtr(_) | Query::ReadPtr(_) | Query::Word { .. }) => looks = true,
                ExprKind::Query(Query::Call(call)) => looks |= call.row.effect != Effect::Pure,
                _ => {}
            });
            acting += u32::from(acts);
            looking += u32::from(looks && !acts);
        }
        if acting > 1 || (acting == 1 && looking > 0) {
            self.fail("calls with effects whose order C++ leaves open");
        }
        for (at, operand) in operands.iter().enumerate() {
            let mut changed = BTreeSet::new();
            visit::each_expr(operand, &mut |e| changed.extend(visit::lent_locals(e)));
            for (_, other) in operands.iter().enumerate().filter(|(other, _)| *other != at && !changed.is_empty()) {
                // Being lent itself is no read: an argument by reference is not evaluated.
                let mut read = BTreeSet::new();
                if !matches!(other.ty, Ty::Ref { mutable: true, .. }) {
                    visit::expr_locals(other, &mut read);
                }
                if let Some(local) = changed.intersection(&read).next() {
                    let name = &self.f.local(*local).name;
                    self.fail(format!("`{name}` is read beside a call that changes it; C++ leaves the order open"));
                }
            }
        }
    }

    pub(super) fn types(&mut self) {
        let f = self.f;
        visit::each_stmt(&f.body, &mut |stmt| {
            self.line = stmt.line;
            visit::stmt_exprs(stmt, &mut |e| visit::each_expr(e, &mut |e| self.expr(e)));
            match &stmt.kind {
                StmtKind::Let { local, init: Some(value) } => {
                    let ty = f.local(*local).ty.clone();
                    self.same(&ty, &value.ty, "a value");
                }
                StmtKind::Assign { local, value } => {
                    // Through a `&mut`: to what it refers to.
                    let ty = match &f.local(*local).ty {
                        Ty::Ref { mutable: true, to } => (**to).clone(),
                        ty => ty.clone(),
                    };
                    self.same(&ty, &value.ty, "a value");
                }
                StmtKind::Set { place, value } => {
                    if !place.is_place() {
                        self.fail("an assignment to something that is no place");
                    }
                    self.same(&place.ty, &value.ty, "a value");
                }
                StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => {
                    self.same(&Ty::Bool, &cond.ty, "a condition");
                }
                StmtKind::For(l) => {
                    let ty = f.local(l.local).ty.clone();
                    if ty.int().is_none() {
                        self.fail(format!("a loop over {ty}"));
                    }
                    self.same(&ty, &l.start.ty, "the start of a range");
                    self.same(&ty, &l.end.ty, "the end of a range");
                    if l.step == 0 {
                        self.fail("a loop with step 0");
                    }
                }
                StmtKind::Return(value) => {
                    let ty = value.as_ref().map_or(Ty::Unit, |v| v.ty.clone());
                    if ty != Ty::Never && f.ret != Ty::Never {
                        self.same(&f.ret, &ty, "a result");
                    }
                }
                StmtKind::Debug(debug) => self.debug(debug),
                StmtKind::Op(op) => self.op(op),
                _ => {}
            }
        });
    }

    pub(super) fn same(&mut self, expected: &Ty, found: &Ty, what: &str) {
        if expected != found && *found != Ty::Never {
            self.fail(format!("{what} is {found}, must be {expected}"));
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(v) => match e.ty.int() {
                Some(ty) if ty.wrap(*v) == *v => {}
                Some(_) => self.fail(format!("literal {v} does not fit {}", e.ty)),
                None => self.fail(format!("an integer literal of type {}", e.ty)),
            },
            ExprKind::F32(_) => self.same(&Ty::F32, &e.ty, "a float literal"),
            ExprKind::Bool(_) => self.same(&Ty::Bool, &e.ty, "a bool literal"),
            ExprKind::Local(l) => {
                let ty = self.f.local(*l).ty.clone();
                if !same_value(&ty, &e.ty) {
                    self.same(&ty, &e.ty, "a local");
                }
            }
            ExprKind::Neg(x) => {
                let signed = x.ty == Ty::F32 || x.ty.int().is_some_and(|i| i.signed);
                if !signed {
                    self.fail(format!("negation of {}", x.ty));
                }
                self.same(&x.ty, &e.ty, "a negation");
            }
            ExprKind::Not(x) => {
                if x.ty != Ty::Bool && x.ty.int().is_none() {
                    self.fail(format!("`!` of {}", x.ty));
                }
                self.same(&x.ty, &e.ty, "a complement");
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, e, a, b),
            ExprKind::Cast(x) => {
                let fits = match (&x.ty, &e.ty) {
                    (Ty::Bool, Ty::Int(_)) | (Ty::Int(_) | Ty::Usize, Ty::Int(_) | Ty::F32) => true,
                    (Ty::F32, Ty::Int(_)) => true,
                    (Ty::Int(_) | Ty::Bool, Ty::Usize) => true,
                    (Ty::Enum(_), Ty::Int(_) | Ty::Usize) => true,
                    (from, to) => from == to && from.is_scalar(),
                };
                if !fits {
                    self.fail(format!("a cast from {} to {}", x.ty, e.ty));
                }
            }
            ExprKind::Bits(x) => {
                let fits = matches!((&x.ty, &e.ty), (Ty::F32, Ty::Int(IntTy::U32)) | (Ty::Int(IntTy::U32), Ty::F32));
                if !fits {
                    self.fail(format!("the bits of {} as {}", x.ty, e.ty));
                }
            }
            ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Struct(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat(_)
            | ExprKind::Variant(_) => self.data(e),
            ExprKind::Call(callee, args) => {
                self.unordered(&args.iter().collect::<Vec<_>>());
                let callee = self.module.function(*callee);
                if callee.params.len() != args.len() {
                    self.fail(format!(
                        "`{}` takes {} arguments, {} are given",
                        callee.name,
                        callee.params.len(),
                        args.len()
                    ));
                }
                for (param, arg) in callee.params.iter().zip(args) {
                    let ty = &callee.local(*param).ty;
                    if !same_value(ty, &arg.ty) {
                        self.same(ty, &arg.ty, "an argument");
                    }
                }
                self.same(&callee.ret, &e.ty, "a call");
            }
            ExprKind::Query(q) => self.query(q, &e.ty),
            ExprKind::Erased => {
                let erased = matches!(e.ty.peeled(), Ty::Noc | Ty::Compute | Ty::TileRegs | Ty::PackRegs);
                if !erased {
                    self.fail(format!("a value of type {} without a value", e.ty));
                }
            }
        }
    }

    fn binary(&mut self, op: BinOp, e: &Expr, a: &Expr, b: &Expr) {
        if !matches!(op, BinOp::And | BinOp::Or) {
            self.unordered(&[a, b]);
        }
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        if !shift {
            self.same(&a.ty, &b.ty, "the right operand");
        }
        let allowed = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => a.ty.int().is_some() || a.ty == Ty::F32,
            BinOp::Rem => a.ty.int().is_some(),
            BinOp::And | BinOp::Or => a.ty == Ty::Bool,
            BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => a.ty.int().is_some() || a.ty == Ty::Bool,
            BinOp::Shl | BinOp::Shr => a.ty.int().is_some() && b.ty.int().is_some(),
            BinOp::Eq | BinOp::Ne => a.ty.is_scalar() || matches!(a.ty, Ty::Usize | Ty::Enum(_)),
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => a.ty.is_scalar() || a.ty == Ty::Usize,
        };
        if !allowed {
            self.fail(format!("{op:?} of {} and {}", a.ty, b.ty));
        }
        if let (true, ExprKind::Int(n), Some(ty)) = (shift, &b.kind, a.ty.int())
            && !(0..i64::from(ty.bits)).contains(n)
        {
            self.fail(format!("a shift of {} by {n}", a.ty));
        }
        if matches!(op, BinOp::Div | BinOp::Rem) && b.kind == ExprKind::Int(0) {
            self.fail("division by the literal zero");
        }
        let comparison = matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge);
        let result = if comparison { Ty::Bool } else { a.ty.clone() };
        self.same(&result, &e.ty, "an operation");
    }

    fn query(&mut self, query: &Query, ty: &Ty) {
        if let Query::Call(call) = query {
            return self.call(call);
        }
        self.same(&Ty::U32, ty, "a query");
        let ty = |l: &LocalId| self.f.local(*l).ty.clone();
        let wrong = match query {
            Query::CoreX | Query::CoreY | Query::Call(_) => false,
            Query::WritePtr(l) => end_of(&ty(l)) != Some(End::Out),
            Query::ReadPtr(l) | Query::Word { cb: l, .. } => end_of(&ty(l)) != Some(End::In),
            Query::TileSize(l) => format_of(&ty(l)).is_none(),
            Query::PageSize(l) => !matches!(ty(l).peeled(), Ty::TensorAccessor(_)),
        };
        if wrong {
            self.fail(format!("{query:?} of another kind of value"));
        }
        let dm_only = !matches!(query, Query::CoreX | Query::CoreY);
        if dm_only && !super::data_movement(self.module.role) {
            self.fail(format!("{query:?} in a compute kernel"));
        }
    }

    fn op(&mut self, op: &Op) {
        let dm = super::data_movement(self.module.role);
        let allowed = match op {
            Op::ReserveBack { .. } | Op::PushBack { .. } => true,
            Op::WaitFront { .. } | Op::PopFront { .. } | Op::KeepFront { .. } => true,
            Op::ReadPage { .. }
            | Op::WritePage { .. }
            | Op::WriteWord { .. }
            | Op::SendPages { .. }
            | Op::SemaphoreSet { .. }
            | Op::SemaphoreWait { .. }
            | Op::SemaphoreInc { .. }
            | Op::SemaphoreSend { .. }
            | Op::PipeSend(_)
            | Op::PipeReceive(_)
            | Op::Call(_)
            | Op::ReadBarrier
            | Op::WriteBarrier
            | Op::WritesFlushed
            | Op::AtomicBarrier => dm,
            _ => !dm,
        };
        if !allowed {
            self.fail(format!("{} in a {} kernel", name_of(op), self.module.role.name()));
        }
        if matches!(op, Op::Init(_)) {
            self.fail("a set-up operation before the passes");
        }
        for (local, end) in ends(op) {
            let both = self.f.temps.iter().any(|(_, temp)| *temp == local);
            if !both && end_of(&self.f.local(local).ty) != Some(end) {
                let l = self.f.local(local);
                let message = format!("{} of `{}: {}`", name_of(op), l.name, l.ty);
                self.fail(message);
            }
        }
        if let Op::ReadPage { tensor, .. } | Op::WritePage { tensor, .. } = op
            && !matches!(self.f.local(*tensor).ty.peeled(), Ty::TensorAccessor(_))
        {
            self.fail(format!("{} without a tensor", name_of(op)));
        }
        if let Op::Tile(t) = op
            && (!t.call.exists()
                || t.ins.len() != t.call.buffers()
                || (t.dst().is_none() && t.call.register().is_some()))
        {
            self.fail(format!("a tile call {:?} with {} blocks and {} numbers", t.call, t.ins.len(), t.args.len()));
        }
        self.signals(op);
        let mut operands = Vec::new();
        visit::op_exprs(op, &mut |e| operands.push(e));
        self.unordered(&operands);
        if let Op::Call(call) = op {
            self.call(call);
        }
        visit::op_exprs(op, &mut |e| {
            // Whether running sums begin.
            let flag = matches!(op, Op::Tile(t) if t.call == TileCall::Cumsum) && e.ty == Ty::Bool;
            if !matches!(op, Op::Call(_)) && e.ty != Ty::Int(IntTy::U32) && !flag {
                self.same(&Ty::U32, &e.ty, "an operand");
            }
        });
        for register in registers(op) {
            if register.as_u32().is_some_and(|r| r >= 16) {
                self.fail("a tile register beyond 15");
            }
        }
        match op {
            Op::Store(s) => {
                self.expression(&s.dag, &s.leaves, &s.scalars);
                // One that adds to a buffer in L1 has the accumulator among its leaves, but not in its expression.
                if s.leaves.iter().any(|l| matches!(l, Leaf::Acc { .. })) && !s.acquired && !s.adds {
                    self.fail("a store of an accumulator without its registers");
                }
            }
            Op::Accumulate(s) => {
                self.expression(&s.dag, &s.leaves, &s.scalars);
                if !s.leaves.iter().any(|l| matches!(l, Leaf::Acc { .. })) {
                    self.fail("an accumulation without an accumulator");
                }
            }
            _ => {}
        }
    }

    fn expression(&mut self, dag: &Dag, leaves: &[Leaf], scalars: &[Expr]) {
        let count = leaves.len() as u32;
        let described = dag.nodes.iter().all(|n| !matches!(n, Node::Leaf(l) if *l >= count));
        let ordered = (0..).zip(&dag.nodes).all(|(at, n)| n.operands().all(|x| x.0 < at));
        let valued = dag.nodes.iter().all(|n| n.words().range().end <= scalars.len());
        let rooted = dag.root.is_some_and(|r| (r.0 as usize) < dag.nodes.len());
        if !(described && ordered && valued && rooted) {
            self.fail("an ill-formed expression of blocks");
        }
    }
}

impl Checker<'_, '_> {
    /// Operands of a call of the kernel API against its row.
    fn call(&mut self, call: &Call) {
        // Argument words are there for every processor.
        let words = call.row.operands.first() == Some(&Kind::Words);
        if call.row.is_for_compute() == super::data_movement(self.module.role) && !words {
            self.fail(format!("`{}` in a {} kernel", call.row.method, self.module.role.name()));
        }
        if call.operands.len() != call.row.operands.len() {
            self.fail(format!("`{}` with {} operands", call.row.method, call.operands.len()));
        }
        for (operand, kind) in call.operands.iter().zip(call.row.operands) {
            let ty = match operand {
                Operand::Value(e) => e.ty.clone(),
                Operand::Name(l) => self.f.local(*l).ty.peeled().clone(),
            };
            let fits = match kind {
                Kind::U32 => ty == Ty::U32,
                Kind::Bool => ty == Ty::Bool,
                Kind::Addr => ty == Ty::NocAddr,
                Kind::L1 => matches!(ty, Ty::L1Ptr(_)),
                Kind::Element => matches!(ty, Ty::Int(_) | Ty::F32),
                Kind::CbIn | Kind::Front => end_of(&ty) == Some(End::In),
                Kind::CbOut | Kind::Reserved => end_of(&ty) == Some(End::Out),
                Kind::Tensor => matches!(ty, Ty::TensorAccessor(_)),
                Kind::Semaphore => ty == Ty::Semaphore,
                Kind::Core => ty == Ty::Core,
                Kind::Range => ty == Ty::CoreRange,
                Kind::Words => matches!(ty, Ty::Words | Ty::CommonWords),
            };
            if !fits && ty != Ty::Never {
                self.fail(format!("`{}` with a {ty} for {kind:?}", call.row.method));
            }
        }
    }

    /// What goes to other cores: its ends, semaphores and destinations.
    fn signals(&mut self, op: &Op) {
        let both = match op {
            Op::PipeSend(send) => Some([send.ready, send.valid]),
            Op::PipeReceive(receive) => Some([receive.ready, receive.valid]),
            _ => None,
        };
        for semaphore in both.into_iter().flatten() {
            if *self.f.local(semaphore).ty.peeled() != Ty::Semaphore {
                self.fail(format!("{} without its semaphores", name_of(op)));
            }
        }
        let (semaphore, core, range) = match op {
            Op::PipeSend(send) => {
                for block in [send.src, send.dst] {
                    if end_of(&self.f.local(block).ty).is_none() {
                        self.fail("PipeSend of something that is no block");
                    }
                }
                match send.to {
                    pipe::To::Core(core) => (None, Some(core), None),
                    pipe::To::Range { range, .. } => (None, None, Some(range)),
                }
            }
            Op::PipeReceive(receive) => (None, Some(receive.sender), None),
            Op::SendPages { src, dst, to, .. } => {
                for block in [src, dst] {
                    if end_of(&self.f.local(*block).ty).is_none() {
                        self.fail("SendPages of something that is no block");
                    }
                }
                let (core, range) = to_of(to);
                (None, core, range)
            }
            Op::SemaphoreSet { semaphore, .. } | Op::SemaphoreWait { semaphore, .. } => (Some(*semaphore), None, None),
            Op::SemaphoreInc { semaphore, core, .. } => (Some(*semaphore), Some(*core), None),
            Op::SemaphoreSend { semaphore, to, .. } => {
                let (core, range) = to_of(to);
                (Some(*semaphore), core, range)
            }
            _ => return,
        };
        for (local, ty) in [(semaphore, Ty::Semaphore), (core, Ty::Core), (range, Ty::CoreRange)] {
            if let Some(local) = local
                && *self.f.local(local).ty.peeled() != ty
            {
                let l = self.f.local(local);
                let message = format!("{} with `{}: {}`, must be {ty}", name_of(op), l.name, l.ty);
                self.fail(message);
            }
        }
    }
}

/// The core or the rectangle of a destination.
fn to_of(to: &Dest) -> (Option<LocalId>, Option<LocalId>) {
    match to {
        Dest::Core(core) => (Some(*core), None),
        Dest::Many { range, .. } => (None, Some(*range)),
    }
}

/// Whether two types are one value in C++: references vanish, and a guard is its buffer.
fn same_value(a: &Ty, b: &Ty) -> bool {
    a.peeled() == b.peeled() || (end_of(a).is_some() && end_of(a) == end_of(b) && format_of(a) == format_of(b))
}

/// The register operands of an operation.
fn registers(op: &Op) -> Vec<&Expr> {
    match op {
        Op::CopyTile { dst, .. }
        | Op::BinaryTiles { dst, .. }
        | Op::ReuseDest { dst, .. }
        | Op::MatmulTiles { dst, .. }
        | Op::MatmulBlock { dst, .. }
        | Op::Unary { dst, .. }
        | Op::PackTile { dst, .. } => vec![dst],
        Op::Tile(t) => t.dst().into_iter().collect(),
        Op::CopyRegs { src, dst } => vec![src, dst],
        Op::BinaryRegs { a, b, dst, .. } => vec![a, b, dst],
        Op::TernaryRegs { operands, dst, .. } => operands.iter().chain([dst]).collect(),
        _ => Vec::new(),
    }
}

/// An operation's name for messages.
pub(super) fn name_of(op: &Op) -> String {
    let debug = format!("{op:?}");
    debug.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_owned()
}
