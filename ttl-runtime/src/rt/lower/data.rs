//! Structs, tuples, arrays and enums: values, fields, elements, places.

use super::Lower;
use super::expr::is_own;
use super::value::Value;
use crate::ir::data::Form;
use crate::ir::{BinOp, Debug, Expr, ExprKind, LocalId, StmtKind, Ty, visit};
use crate::rt::data::build_variant;
use ttl_skeleton as sk;

/// Elements of an array that `==` compares one by one.
const COMPARED: u32 = 16;

const CHANGES_PLACE: &str = "only numbers and plain data can be assigned to";

impl Lower<'_> {
    pub(super) fn structure(
        &mut self,
        slot: sk::Slot,
        variant: Option<&str>,
        fields: &[(String, sk::Expr)],
        base: Option<&sk::Expr>,
    ) -> Value {
        let ty = self.ty(slot);
        let exprs: Vec<&sk::Expr> = fields.iter().map(|(_, e)| e).chain(base).collect();
        let mut values = self.operands(&exprs);
        if self.diverged {
            return Value::Never;
        }
        let base = if base.is_some() { values.pop() } else { None };
        let ty = match (&ty, variant) {
            (Ty::Struct(s), Some(name)) if matches!(s.form, Form::Enum(_)) => {
                let Form::Enum(variants) = &s.form else { return Value::Never };
                let Some(at) = variants.iter().position(|v| v.name == name) else {
                    return self.no_variant(&ty, name);
                };
                let order = variants[at].fields.iter().map(|(name, _)| fields.iter().position(|(f, _)| f == name));
                let Some(order) = order.collect::<Option<Vec<usize>>>() else {
                    return self.fault(format!("`{ty}::{name}` without all its fields"));
                };
                let own = order.into_iter().map(|i| values[i].clone()).collect();
                return Value::Scalar(build_variant(ty.clone(), at as u32, own));
            }
            (Ty::Struct(s), None) if matches!(s.form, Form::Enum(_)) => return self.unnamed_variant(&ty),
            (Ty::Enum(_), Some(name)) => return self.no_variant(&ty, name),
            _ => ty,
        };
        let Ty::Struct(s) = ty.clone() else {
            return self.fault(format!("a `{ty}` is built here"));
        };
        let base = base.map(|b| self.steady(b));
        let mut all = vec![];
        for (at, field) in s.fields.iter().enumerate() {
            let given = fields.iter().position(|(name, _)| *name == field.name.trim_start_matches("r#"));
            all.push(match (given, &base) {
                (Some(i), _) => values[i].clone(),
                (None, Some(base)) => Expr::field(base.clone(), at as u32),
                (None, None) => {
                    let name = field.name.clone();
                    return self.fault(format!("`{ty}` without its field `{name}`"));
                }
            });
        }
        Value::Scalar(Expr { ty, kind: ExprKind::Struct(all) })
    }

    pub(super) fn no_variant(&mut self, ty: &Ty, name: &str) -> Value {
        self.refuse(
            format!("`{name}` is not seen as a variant of `{ty}`"),
            "write a variant as `Enum::Variant`, by the names that the enum gives them",
        )
    }

    /// `V { .. }` instead of `E::V { .. }`: before types are known that is a struct.
    pub(super) fn unnamed_variant(&mut self, ty: &Ty) -> Value {
        self.refuse(
            format!("this does not say which variant of `{ty}` it is"),
            "write `Enum::Variant { .. }`, with the name of the enum",
        )
    }

    pub(super) fn tuple(&mut self, elems: &[sk::Expr]) -> Value {
        let values = self.operands(&elems.iter().collect::<Vec<_>>());
        if self.diverged {
            return Value::Never;
        }
        let ty = Ty::tuple(values.iter().map(|v| v.ty.clone()).collect());
        Value::Scalar(Expr { ty, kind: ExprKind::Struct(values) })
    }

    pub(super) fn array(&mut self, elems: &[sk::Expr]) -> Value {
        let values = self.operands(&elems.iter().collect::<Vec<_>>());
        let Some(first) = values.first().filter(|_| !self.diverged) else {
            return self.no_elements();
        };
        let ty = Ty::array(first.ty.clone(), values.len());
        Value::Scalar(Expr { ty, kind: ExprKind::Array(values) })
    }

    fn no_elements(&mut self) -> Value {
        self.refuse("an array without elements, which C++ does not have", "leave it out, or give it one element")
    }

    pub(super) fn repeat(&mut self, slot: sk::Slot, value: &sk::Expr) -> Value {
        let ty = self.ty(slot);
        let value = self.scalar(value);
        if matches!(ty, Ty::Array(_, 0)) {
            return self.no_elements();
        }
        let value = Box::new(self.stable(value));
        Value::Scalar(Expr { ty, kind: ExprKind::Repeat(value) })
    }

    pub(super) fn field(&mut self, base: &sk::Expr, name: &str) -> Value {
        let base = match self.expr(base) {
            Value::Scalar(e) | Value::Place(e) => e,
            Value::Group(group) => return self.group_field(&group, name),
            Value::Never => return Value::Never,
            other => {
                let what = other.describe();
                return self.fault(format!("a field `{name}` of {what}"));
            }
        };
        let at = match &base.ty {
            Ty::Struct(s) => s.fields.iter().position(|f| f.name.trim_start_matches("r#") == name),
            _ => None,
        };
        // The other members of a struct that is built here happen, too.
        if let (Some(at), ExprKind::Struct(values)) = (at, &base.kind) {
            let others = values.iter().enumerate().filter(|(i, v)| *i != at && visit::has_call(v));
            for (_, other) in others.map(|(i, v)| (i, v.clone())).collect::<Vec<_>>() {
                self.spill(other);
            }
        }
        match at {
            Some(at) => Value::Scalar(Expr::field(base, at as u32)),
            None => {
                let ty = base.ty.clone();
                self.fault(format!("a field `{name}` of `{ty}`"))
            }
        }
    }

    pub(super) fn index(&mut self, base: &sk::Expr, index: &sk::Expr, line: u32) -> Value {
        let base = match self.expr(base) {
            Value::Scalar(e) | Value::Place(e) => e,
            Value::Never => return Value::Never,
            other => {
                let what = other.describe();
                return self.fault(format!("an element of {what}"));
            }
        };
        let before = self.position();
        let at = self.scalar(index);
        let base = if self.position() > before && !base.is_place() { self.spill_at(base, before) } else { base };
        let base = if base.is_place() { base } else { self.spill(base) };
        let Ty::Array(_, len) = base.ty else {
            let ty = base.ty.clone();
            return self.fault(format!("an element of `{ty}`"));
        };
        if at.ty == Ty::Never {
            return Value::Never;
        }
        let statement = std::mem::replace(&mut self.line, line);
        let at = self.in_bounds(at, len);
        self.line = statement;
        Value::Scalar(Expr::index(base, at))
    }

    /// The index, checked here unless it cannot be too large.
    fn in_bounds(&mut self, at: Expr, len: u32) -> Expr {
        match self.interval(&at) {
            Some((_, high)) if high < u64::from(len) => return at,
            Some((low, _)) if low >= u64::from(len) => {
                self.error(
                    format!("index out of bounds: the length is {len} but the index is {low}"),
                    "indices of an array begin at 0 and end before its length",
                );
                return Expr { ty: Ty::Usize, kind: ExprKind::Int(0) };
            }
            _ => {}
        }
        let at = self.stable(at);
        let end = Expr { ty: Ty::Usize, kind: ExprKind::Int(i64::from(len)) };
        let cond = super::expr::binary(BinOp::Lt, at.clone(), end);
        let what = format!("index out of bounds: the length is {len}");
        self.emit(StmtKind::Debug(Debug::Assert { cond, what, message: None }));
        at
    }

    /// A place whose indices do not change any more.
    pub(super) fn settled(&mut self, place: Expr) -> Expr {
        let kind = match place.kind {
            ExprKind::Field(base, at) => ExprKind::Field(Box::new(self.settled(*base)), at),
            ExprKind::Index(base, at) => {
                let base = self.settled(*base);
                ExprKind::Index(Box::new(base), Box::new(self.stable(*at)))
            }
            kind => kind,
        };
        Expr { ty: place.ty, kind }
    }

    /// The value for several uses: a place where it is, something constant, or a temporary.
    pub(super) fn steady(&mut self, e: Expr) -> Expr {
        match e.kind {
            _ if e.is_place() => self.settled(e),
            ExprKind::Struct(values) => {
                let values = values.into_iter().map(|v| self.stable(v)).collect();
                Expr { ty: e.ty, kind: ExprKind::Struct(values) }
            }
            kind => {
                let e = Expr { ty: e.ty, kind };
                self.stable(e)
            }
        }
    }

    /// What `&` or `&mut` of the value is.
    pub(super) fn lend(&mut self, e: Expr) -> Value {
        if e.is_place() {
            return Value::Place(self.settled(e));
        }
        let ty = e.ty.clone();
        let local = self.new_local("value", ty, true);
        self.emit(StmtKind::Let { local, init: Some(e) });
        Value::Place(self.read(local))
    }

    /// The place that an expression on the left of `=` means.
    pub(super) fn place(&mut self, e: &sk::Expr) -> Option<Expr> {
        match e {
            sk::Expr::Local(l) => match self.bindings[*l as usize].clone() {
                Some(super::value::Binding::Scalar(id)) => Some(self.read(id)),
                // A reference is only another name of its place here: it cannot be pointed elsewhere.
                _ => None,
            },
            sk::Expr::Unary(sk::UnOp::Deref, inner) => match self.expr(inner) {
                Value::Place(place) => Some(place),
                _ => None,
            },
            sk::Expr::Field { .. } | sk::Expr::Index { .. } => match self.expr(e) {
                Value::Scalar(place) if place.is_place() => Some(place),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn write(&mut self, place: Expr, value: Expr) {
        self.emit(match place.kind {
            ExprKind::Local(local) => StmtKind::Assign { local, value },
            _ => StmtKind::Set { place, value },
        });
    }

    /// `place = value`: Rust evaluates the value first, then where it goes.
    pub(super) fn assign_place(&mut self, place: &sk::Expr, value: &sk::Expr) -> Value {
        if matches!(place, sk::Expr::Local(_) | sk::Expr::Unary(..))
            && let Some(to) = self.place(place)
        {
            if let ExprKind::Local(local) = to.kind {
                self.value_into(local, value);
                return Value::Unit;
            }
            let value = self.scalar(value);
            self.write(to, value);
            return Value::Unit;
        }
        let value = self.expr(value);
        let before = self.position();
        let Some(to) = self.place(place) else {
            self.error(CHANGES_PLACE, "bind references, buffers, guards and tile expressions with a new `let`");
            return Value::Unit;
        };
        let value = self.as_scalar(value);
        let value =
            if self.position() > before && visit::has_call(&value) { self.spill_at(value, before) } else { value };
        self.write(to, value);
        Value::Unit
    }

    /// `a == b` of plain data that is no single number: member by member.
    pub(super) fn equality(&mut self, op: BinOp, a: Expr, b: Expr) -> Value {
        if !matches!(op, BinOp::Eq | BinOp::Ne) || !comparable(&a.ty) {
            let ty = a.ty.clone();
            let help = match ty {
                Ty::Array(..) => "compare their elements in a loop; `==` works for up to 16 of them",
                _ => {
                    "`==` works with `#[derive(PartialEq)]` below `#[ttl::device]`; or use `match` and compare numbers"
                }
            };
            return self.refuse(format!("two `{ty}` cannot be compared in a kernel"), help);
        }
        let (a, b) = (self.steady(a), self.steady(b));
        let equal = equal(a, b);
        Value::Scalar(if op == BinOp::Eq { equal } else { negated(equal) })
    }

    /// The values that a `usize` can have; `None` for one that could need more than 32 bits.
    pub(super) fn interval(&self, e: &Expr) -> Option<(u64, u64)> {
        const MAX: u64 = u32::MAX as u64;
        let whole = match e.ty.int() {
            Some(int) if !int.signed => (0, if e.ty == Ty::Usize { MAX } else { (1 << int.bits) - 1 }),
            _ if e.ty == Ty::Bool => (0, 1),
            _ => (0, MAX),
        };
        let found = match &e.kind {
            ExprKind::Int(v) => u64::try_from(*v).ok().map(|v| (v, v))?,
            ExprKind::Local(l) => self.ranges.get(l).copied().unwrap_or(whole),
            ExprKind::Cast(x) if x.ty.int().is_some_and(|i| !i.signed) || x.ty == Ty::Bool => {
                let inner = self.interval(x)?;
                if inner.1 <= whole.1 { inner } else { whole }
            }
            ExprKind::Binary(op, a, b) if e.ty == Ty::Usize => {
                let ((a0, a1), (b0, b1)) = (self.interval(a)?, self.interval(b)?);
                match op {
                    BinOp::Add => (a0 + b0, a1 + b1),
                    BinOp::Sub if a0 >= b1 => (a0 - b1, a1 - b0),
                    BinOp::Mul => (a0.checked_mul(b0)?, a1.checked_mul(b1)?),
                    BinOp::Div if b0 > 0 => (a0 / b1, a1 / b0),
                    BinOp::Rem if b0 > 0 => (0, a1.min(b1 - 1)),
                    BinOp::BitAnd => (0, a1.min(b1)),
                    BinOp::BitOr | BinOp::BitXor => (0, MAX),
                    BinOp::Shr if b1 < 32 => (a0 >> b1, a1 >> b0),
                    BinOp::Shl if b1 < 32 => (a0 << b0, a1.checked_mul(1 << b1)?),
                    _ => return None,
                }
            }
            ExprKind::Binary(BinOp::BitAnd, a, b) => {
                (0, self.interval(a).unwrap_or(whole).1.min(self.interval(b).unwrap_or(whole).1))
            }
            ExprKind::Binary(BinOp::Rem, _, b) => {
                (0, self.interval(b).map_or(whole.1, |b| b.1.saturating_sub(1)).min(whole.1))
            }
            _ => whole,
        };
        (found.1 <= MAX).then_some(found)
    }

    /// An operation on two numbers, or the comparison of other data.
    pub(super) fn arithmetic(&mut self, op: BinOp, a: Expr, b: Expr) -> Value {
        if is_own(&a.ty) {
            use BinOp as O;
            return match op {
                O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge => self.equality(op, a, b),
                _ => self.own_operator(&a.ty),
            };
        }
        if op == BinOp::Rem && a.ty == Ty::F32 {
            return self.refuse(
                "`%` of two f32 numbers is not supported in a kernel",
                "C++ has no operator for it: compute with integers, or subtract the multiple",
            );
        }
        let result = super::expr::binary(op, a, b);
        if result.ty == Ty::Usize && self.interval(&result).is_none() {
            return self.wide_usize();
        }
        Value::Scalar(result)
    }

    /// Rust computes it with 64 bits.
    pub(super) fn wide_usize(&mut self) -> Value {
        self.refuse(
            "this `usize` could leave the 32 bits that it has on the device",
            "compute with `u32` and index with `a[i as usize]`",
        )
    }

    pub(super) fn cast(&mut self, value: Expr, ty: Ty) -> Value {
        if value.ty == ty {
            return Value::Scalar(value);
        }
        if ty == Ty::Usize {
            let from = &value.ty;
            let unsigned = *from == Ty::Bool || from.int().is_some_and(|i| !i.signed);
            let known = matches!(value.kind, ExprKind::Int(v) if v >= 0);
            if !unsigned && !known {
                let from = from.clone();
                return self.refuse(
                    format!("a `{from}` cannot become a `usize` in a kernel"),
                    "a negative one would need 64 bits: cast to `u32` first",
                );
            }
        }
        if (value.ty == Ty::Usize || ty == Ty::Usize)
            && let (ExprKind::Int(v), Some(int)) = (&value.kind, ty.int())
        {
            return Value::Scalar(Expr { kind: ExprKind::Int(int.wrap(*v)), ty });
        }
        Value::Scalar(Expr { ty, kind: ExprKind::Cast(Box::new(value)) })
    }

    /// Notes what a `usize` local can be.
    pub(super) fn note_range(&mut self, local: LocalId, value: &Expr) {
        if value.ty == Ty::Usize
            && !self.locals[local.0 as usize].mutable
            && let Some(range) = self.interval(value)
        {
            self.ranges.insert(local, range);
        }
    }
}

/// Whether `==` on the type compares member by member, for certain.
fn comparable(ty: &Ty) -> bool {
    match ty {
        Ty::Struct(s) => {
            s.comparable
                && s.fields.iter().skip(usize::from(matches!(s.form, Form::Enum(_)))).all(|f| comparable(&f.ty))
        }
        Ty::Array(of, len) => *len <= COMPARED && comparable(of),
        Ty::Enum(e) => e.comparable,
        other => other.is_scalar() || *other == Ty::Usize,
    }
}

/// Member by member. What is compared can be evaluated several times.
pub(super) fn equal(a: Expr, b: Expr) -> Expr {
    let members: Vec<(Expr, Expr)> = match a.ty.clone() {
        Ty::Struct(s) => {
            (0..s.fields.len() as u32).map(|i| (Expr::field(a.clone(), i), Expr::field(b.clone(), i))).collect()
        }
        Ty::Array(_, len) => {
            let at = |e: &Expr, i: u32| {
                let i = Expr { ty: Ty::Usize, kind: ExprKind::Int(i64::from(i)) };
                Expr::index(e.clone(), i)
            };
            (0..len).map(|i| (at(&a, i), at(&b, i))).collect()
        }
        _ => return super::expr::binary(BinOp::Eq, a, b),
    };
    all(members.into_iter().map(|(a, b)| equal(a, b)).collect())
}

/// That all of them hold.
pub(super) fn all(conditions: Vec<Expr>) -> Expr {
    join(BinOp::And, conditions).unwrap_or(Expr { ty: Ty::Bool, kind: ExprKind::Bool(true) })
}

pub(super) fn join(op: BinOp, conditions: Vec<Expr>) -> Option<Expr> {
    conditions.into_iter().reduce(|a, b| Expr { ty: Ty::Bool, kind: ExprKind::Binary(op, Box::new(a), Box::new(b)) })
}

/// The contrary, without a `!` where there is an operator for it.
pub(super) fn negated(e: Expr) -> Expr {
    let kind = match e.kind {
        ExprKind::Binary(BinOp::Eq, a, b) => ExprKind::Binary(BinOp::Ne, a, b),
        ExprKind::Binary(BinOp::Ne, a, b) => ExprKind::Binary(BinOp::Eq, a, b),
        ExprKind::Not(e) => return *e,
        kind => ExprKind::Not(Box::new(Expr { ty: Ty::Bool, kind })),
    };
    Expr { ty: Ty::Bool, kind }
}
