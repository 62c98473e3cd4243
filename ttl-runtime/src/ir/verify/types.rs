//! Types of statements and expressions, and the order in which operands may be evaluated.

use super::Checker;
use super::ops::{End, end_of};
use crate::ir::call::Effect;
use crate::ir::passes::buffers::format_of;
use crate::ir::{BinOp, Expr, ExprKind, IntTy, LocalId, Module, Query, StmtKind, Ty, visit};
use std::collections::BTreeSet;

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
            let message = format!("a `{}` is shifted by {n} bits, it has {}", a.ty, ty.bits);
            self.mistake(message, "shift by less, or use `wrapping_shl` and `wrapping_shr`");
        }
        if matches!(op, BinOp::Div | BinOp::Rem) && b.kind == ExprKind::Int(0) {
            self.mistake(
                "a division by 0, which is a constant here",
                "check the constant or const generic that it comes from",
            );
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
}

/// Whether two types are one value in C++: references vanish, and a guard is its buffer.
fn same_value(a: &Ty, b: &Ty) -> bool {
    a.peeled() == b.peeled() || (end_of(a).is_some() && end_of(a) == end_of(b) && format_of(a) == format_of(b))
}
