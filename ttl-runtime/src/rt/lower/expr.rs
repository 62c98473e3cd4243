//! Scalar expressions: literals, operators, places, assignments.

use super::Lower;
use super::order::changes;
use super::scope::Kind;
use super::value::{Binding, Value};
use crate::ir::{BinOp, Expr, ExprKind, LocalId, StmtKind, Ty, visit};
use crate::rt::cx::Item;
use ttl_skeleton as sk;

impl Lower<'_> {
    pub(super) fn expr(&mut self, e: &sk::Expr) -> Value {
        match e {
            sk::Expr::Unit => Value::Unit,
            sk::Expr::Bool(b) => Value::Scalar(Expr { ty: Ty::Bool, kind: ExprKind::Bool(*b) }),
            sk::Expr::Int { value, slot } => self.int(*value, *slot),
            sk::Expr::Float { text, .. } => match text.parse::<f32>() {
                Ok(v) => Value::Scalar(Expr { ty: Ty::F32, kind: ExprKind::F32(v) }),
                Err(_) => self.fault(format!("`{text}` is no f32 literal")),
            },
            sk::Expr::Local(l) => self.local(*l),
            sk::Expr::Placed(e, _) => self.expr(e),
            sk::Expr::Const(slot) => match self.items.get(*slot as usize) {
                Some(Item::Const(e)) => {
                    let e = e.clone();
                    self.constant(e)
                }
                _ => self.fault("a constant without a value"),
            },
            sk::Expr::Unary(op, e) => self.unary(*op, e),
            sk::Expr::Binary(op, l, r) => self.binary(*op, l, r),
            sk::Expr::Assign(place, value) => self.assign(place, value),
            sk::Expr::AssignOp(op, place, value) => self.assign_op(*op, place, value),
            sk::Expr::Cast(e, slot) => {
                let value = self.scalar(e);
                let ty = self.ty(*slot);
                self.cast(value, ty)
            }
            sk::Expr::Ref { place, .. } => self.reference(place),
            sk::Expr::Call { slot, args } => self.call(*slot, args),
            sk::Expr::Closure(_) => self.fault("a closure without a function that takes it"),
            sk::Expr::CallClosure { local, args } => self.call_closure(*local, args),
            sk::Expr::UserMethod { slot, recv, args, line } => self.user_method(*slot, recv, args, *line),
            sk::Expr::Struct { slot, variant, fields, base } => {
                self.structure(*slot, variant.as_deref(), fields, base.as_deref())
            }
            sk::Expr::Tuple(elems) => self.tuple(elems),
            sk::Expr::Array(elems) => self.array(elems),
            sk::Expr::Repeat { slot, value } => self.repeat(*slot, value),
            sk::Expr::Field { base, name } => self.field(base, name),
            sk::Expr::Index { base, index, line } => self.index(base, index, *line),
            sk::Expr::Match { value, arms } => self.match_value(value, arms),
            sk::Expr::ForEach { pat, array, body } => self.for_each(pat, array, body),
            sk::Expr::Print(print) => self.print(print),
            sk::Expr::Assert(assert) => self.assert(assert),
            sk::Expr::Panic(print) => self.panic(print),
            sk::Expr::Zone(name) => self.zone(name),
            sk::Expr::Method { recv, name, args, line } => self.method(recv, name, args, *line),
            sk::Expr::Block(b) => self.block_value(b),
            sk::Expr::If { cond, then, els } => self.if_value(cond, then, els.as_deref()),
            sk::Expr::While { cond, body } => self.while_loop(cond, body),
            sk::Expr::Loop { body } => self.endless_loop(body),
            sk::Expr::For { local, range, body } => self.for_loop(*local, range, body),
            sk::Expr::Break => self.break_loop(),
            sk::Expr::Continue => self.continue_loop(),
            sk::Expr::Return(e) => self.return_value(e.as_deref()),
        }
    }

    /// Records an error and gives a value that stops further ones.
    pub(super) fn refuse(&mut self, message: impl Into<String>, help: impl Into<String>) -> Value {
        self.error(message, help);
        Value::Never
    }

    /// A constant as rustc has it, where a `usize` has 64 bits.
    fn constant(&mut self, e: Expr) -> Value {
        let mut wide = None;
        visit::each_expr(&e, &mut |e| {
            if let (Ty::Usize, ExprKind::Int(v)) = (&e.ty, &e.kind)
                && let Some(v) = u64::try_from(*v).ok().filter(|v| *v > u64::from(u32::MAX))
            {
                wide = Some(v);
            }
        });
        match wide {
            Some(v) => self.too_large(v),
            None => Value::Scalar(e),
        }
    }

    fn too_large(&mut self, value: u64) -> Value {
        self.refuse(format!("{value} is too large for the device"), "a `usize` has 32 bits there")
    }

    /// `impl Add` and the like: a call in Rust, for which ttl has no function.
    pub(super) fn own_operator(&mut self, ty: &Ty) -> Value {
        self.refuse(
            format!("an operator of your own type `{ty}` is used in a kernel"),
            "write a method and call it, `a.plus(b)`: only numbers and tiles have operators",
        )
    }

    fn int(&mut self, value: u64, slot: sk::Slot) -> Value {
        let ty = self.ty(slot);
        match ty.int() {
            Some(_) if ty == Ty::Usize && value > u64::from(u32::MAX) => self.too_large(value),
            Some(int) => Value::Scalar(Expr { kind: ExprKind::Int(int.wrap(value as i64)), ty }),
            None => self.fault(format!("an integer literal of type `{ty}`")),
        }
    }

    fn local(&mut self, l: sk::Local) -> Value {
        match self.bindings[l as usize].clone() {
            Some(Binding::Scalar(id)) => Value::Scalar(self.read(id)),
            Some(Binding::Alias(value)) => value,
            None => {
                if let Some(value) = self.captured(l) {
                    return value;
                }
                let name = self.def.locals[l as usize].name.clone();
                self.fault(format!("`{name}` has no value here"))
            }
        }
    }

    /// Reads a scalar local, through the reference if it is one.
    pub(super) fn read(&self, id: LocalId) -> Expr {
        Expr { ty: self.locals[id.0 as usize].ty.peeled().clone(), kind: ExprKind::Local(id) }
    }

    /// The value as a scalar.
    pub(super) fn scalar(&mut self, e: &sk::Expr) -> Expr {
        let value = self.expr(e);
        self.as_scalar(value)
    }

    pub(super) fn as_scalar(&mut self, value: Value) -> Expr {
        match value {
            Value::Scalar(e) | Value::Place(e) => e,
            Value::Never => Expr { ty: Ty::Never, kind: ExprKind::Int(0) },
            Value::Unit => Expr { ty: Ty::Unit, kind: ExprKind::Int(0) },
            other => {
                let what = other.describe();
                self.fault(format!("{what} is used where a number is needed"));
                Expr { ty: Ty::Never, kind: ExprKind::Int(0) }
            }
        }
    }

    fn unary(&mut self, op: sk::UnOp, e: &sk::Expr) -> Value {
        match op {
            sk::UnOp::Deref => match self.expr(e) {
                group @ Value::Group(_) => group,
                value => Value::Scalar(self.as_scalar(value)),
            },
            sk::UnOp::Neg => {
                let value = self.expr(e);
                if let Some(tiles) = self.tile_prefix(crate::ops::UnaryOp::Negative, &value) {
                    return tiles;
                }
                let a = self.as_scalar(value);
                let ty = a.ty.clone();
                if is_own(&ty) {
                    return self.own_operator(&ty);
                }
                Value::Scalar(match (&a.kind, ty.int()) {
                    (ExprKind::Int(v), Some(int)) => Expr { kind: ExprKind::Int(int.wrap(v.wrapping_neg())), ty },
                    (ExprKind::F32(v), _) => Expr { kind: ExprKind::F32(-v), ty },
                    _ => Expr { ty, kind: ExprKind::Neg(Box::new(a)) },
                })
            }
            sk::UnOp::Not => {
                let value = self.expr(e);
                if let Some(tiles) = self.tile_prefix(crate::ops::UnaryOp::BitwiseNot, &value) {
                    return tiles;
                }
                let a = self.as_scalar(value);
                let ty = a.ty.clone();
                if is_own(&ty) {
                    return self.own_operator(&ty);
                }
                if ty == Ty::Usize {
                    return self.wide_usize();
                }
                Value::Scalar(Expr { ty, kind: ExprKind::Not(Box::new(a)) })
            }
        }
    }

    fn binary(&mut self, op: BinOp, l: &sk::Expr, r: &sk::Expr) -> Value {
        if matches!(op, BinOp::And | BinOp::Or) {
            return self.short_circuit(op, l, r);
        }
        if super::tile_ops::is_operator(op)
            && let Some(tiles) = self.tile_binary(op, l, r)
        {
            return tiles;
        }
        let mut operands = self.operands(&[l, r]);
        let (Some(b), Some(a)) = (operands.pop(), operands.pop()) else {
            return Value::Never;
        };
        self.arithmetic(op, a, b)
    }

    fn short_circuit(&mut self, op: BinOp, l: &sk::Expr, r: &sk::Expr) -> Value {
        let a = self.scalar(l);
        Value::Scalar(self.both(op, a, r))
    }

    /// `a && r` or `a || r`.
    pub(super) fn both(&mut self, op: BinOp, a: Expr, r: &sk::Expr) -> Expr {
        let before = self.states();
        let was_diverged = self.diverged;
        self.blocks.push(vec![]);
        let b = self.condition(r);
        let mut then = self.blocks.pop().unwrap_or_default();
        let right_diverged = std::mem::replace(&mut self.diverged, was_diverged);
        if then.is_empty() {
            return Expr { ty: Ty::Bool, kind: ExprKind::Binary(op, Box::new(a), Box::new(b)) };
        }
        // The right side needs statements: they run only when Rust would evaluate it.
        let evaluated = |left: Expr| match op {
            BinOp::And => left,
            _ => Expr { ty: Ty::Bool, kind: ExprKind::Not(Box::new(left)) },
        };
        if right_diverged {
            // Behind it the left side has decided.
            self.set_states(&before);
            self.emit(StmtKind::If { cond: evaluated(a), then, els: vec![] });
            return Expr { ty: Ty::Bool, kind: ExprKind::Bool(op == BinOp::Or) };
        }
        self.merge(&before);
        let result = self.new_local("value", Ty::Bool, true);
        self.emit(StmtKind::Let { local: result, init: Some(a) });
        then.push(crate::ir::Stmt { line: self.line, kind: StmtKind::Assign { local: result, value: b } });
        let read = self.read(result);
        self.emit(StmtKind::If { cond: evaluated(read.clone()), then, els: vec![] });
        read
    }

    /// A condition, or the right side of `&&` and `||`: its temporaries are released when its value is known.
    pub(super) fn condition(&mut self, e: &sk::Expr) -> Expr {
        self.enter_scope(Kind::Statement);
        let value = self.scalar(e);
        let value = self.fixed_before_release(value, 1);
        self.leave_scope();
        value
    }

    fn reference(&mut self, place: &sk::Expr) -> Value {
        match self.expr(place) {
            // A place, or a reference to a temporary.
            Value::Scalar(e) => self.lend(e),
            Value::Res { id, .. } => Value::Res { id, by_ref: true },
            other => other,
        }
    }

    fn assign(&mut self, place: &sk::Expr, value: &sk::Expr) -> Value {
        // `let x;` first assigned here.
        if let sk::Expr::Local(l) = place
            && self.bindings[*l as usize].is_none()
        {
            let value = self.expr(value);
            let owned = self.owned(&value);
            self.bind(*l, value);
            self.own_where_declared(*l, &owned);
            return Value::Unit;
        }
        self.assign_place(place, value)
    }

    fn assign_op(&mut self, op: BinOp, place: &sk::Expr, value: &sk::Expr) -> Value {
        if let Some(done) = self.accumulate(op, place, value) {
            return done;
        }
        // Rust evaluates the right side first for primitive types.
        let right = self.scalar(value);
        let after = self.position();
        let Some(to) = self.place(place) else {
            return self.fault("an operation that assigns to no number");
        };
        let right =
            if self.position() > after && !self.is_stable(&right) { self.spill_at(right, after) } else { right };
        let right = if changes(&right, &to) { self.spill(right) } else { right };
        let Value::Scalar(value) = self.arithmetic(op, to.clone(), right) else { return Value::Never };
        self.write(to, value);
        Value::Unit
    }
}

/// A type whose operators are functions of the user's.
pub(super) fn is_own(ty: &Ty) -> bool {
    matches!(ty, Ty::Struct(_) | Ty::Array(..) | Ty::Enum(_))
}

/// An operation of two numbers; of two constants its value.
pub(super) fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    let ty = match op {
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Ty::Bool,
        _ => a.ty.clone(),
    };
    // Sizes made of const generics become numbers: what later stages decide from them is decided here.
    if let (Some(int), ExprKind::Int(x), ExprKind::Int(y)) = (ty.int(), &a.kind, &b.kind) {
        let folded = match op {
            BinOp::Add => Some(x + y),
            BinOp::Sub => Some(x - y),
            BinOp::Mul => x.checked_mul(*y),
            _ => None,
        };
        if let Some(value) = folded {
            return Expr { ty, kind: ExprKind::Int(int.wrap(value)) };
        }
    }
    Expr { ty, kind: ExprKind::Binary(op, Box::new(a), Box::new(b)) }
}
