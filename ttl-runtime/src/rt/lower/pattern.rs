//! `match`, `if let`, `let` with patterns, `for x in array`: chains of conditions, and names for what is inside.

use super::Lower;
use super::data::{all, equal, join, negated};
use super::scope::Kind;
use super::stmt::Result;
use super::value::{Binding, Value};
use crate::ir::data::Form;
use crate::ir::{BinOp, Expr, ExprKind, For, LocalId, Order, StmtKind, Ty};
use crate::rt::cx::Item;
use std::cell::RefCell;
use ttl_skeleton as sk;

/// What has to hold for a value to have the form of a pattern, and the names it gives.
#[derive(Default)]
struct Tested {
    conditions: Vec<Expr>,
    names: Vec<(sk::Local, Expr)>,
}

impl Lower<'_> {
    /// The value that patterns look at; its parts can be read more than once.
    fn subject(&mut self, e: &sk::Expr) -> Option<Expr> {
        let value = self.expr(e);
        self.subject_of(value)
    }

    /// Names for what is inside a value of which every pattern is known to fit.
    pub(super) fn take_apart(&mut self, pat: &sk::Pat, value: &Expr) {
        let mut tested = Tested::default();
        self.test(pat, value, &mut tested);
        self.bind_names(tested.names);
    }

    fn subject_of(&mut self, value: Value) -> Option<Expr> {
        match value {
            Value::Scalar(e) | Value::Place(e) => Some(self.steady(e)),
            Value::Never => None,
            other => {
                let what = other.describe();
                self.error(
                    format!("{what} cannot be matched with patterns"),
                    "give it a name with `let`, and use its methods",
                );
                None
            }
        }
    }

    pub(super) fn match_value(&mut self, value: &sk::Expr, arms: &[sk::Arm]) -> Value {
        let Some(subject) = self.subject(value) else { return Value::Never };
        let at = self.position();
        let mut result = Result::default();
        {
            let result = RefCell::new(&mut result);
            self.chain(&subject, arms, &|this: &mut Self, body: &sk::Block| {
                let value = this.block_value(body);
                this.branch_result(value, &mut result.borrow_mut());
            });
        }
        self.chosen(result, at, "match")
    }

    pub(super) fn match_into(&mut self, local: LocalId, value: &sk::Expr, arms: &[sk::Arm]) {
        if let Some(subject) = self.subject(value) {
            self.chain(&subject, arms, &|this: &mut Self, body: &sk::Block| this.block_into(local, body));
        }
    }

    /// The arms one after the other. rustc has seen that one of them fits: the last needs no condition.
    fn chain(&mut self, subject: &Expr, arms: &[sk::Arm], each: &dyn Fn(&mut Self, &sk::Block)) {
        let Some((arm, rest)) = arms.split_first() else { return };
        self.line = arm.line;
        let mut tested = Tested::default();
        self.test(&arm.pat, subject, &mut tested);
        let condition = join(BinOp::And, tested.conditions);
        let condition = match (condition, &arm.guard) {
            (condition, Some(guard)) => {
                for (local, value) in &tested.names {
                    self.bindings[*local as usize] = Some(Binding::Alias(self.named_value(*local, value.clone())));
                }
                match condition {
                    Some(first) => self.both(BinOp::And, first, guard),
                    None => self.condition(guard),
                }
            }
            (Some(condition), None) if !rest.is_empty() => condition,
            _ => {
                self.bind_names(tested.names);
                each(self, &arm.body);
                return;
            }
        };
        self.branches(
            condition,
            |this| {
                this.bind_names(tested.names);
                each(this, &arm.body);
            },
            |this| this.chain(subject, rest, each),
        );
    }

    pub(super) fn destructure(&mut self, pat: &sk::Pat, value: &sk::Expr, els: Option<&sk::Block>) {
        if let (sk::Pat::Tuple(pats, None), sk::Expr::Tuple(elems)) = (pat, value)
            && pats.len() == elems.len()
            && pats.iter().all(|p| matches!(p, sk::Pat::Bind(_, None) | sk::Pat::Wild))
            && !self.all_data(pats)
        {
            return self.one_by_one(pats, elems);
        }
        let value = self.expr(value);
        if let Value::Group(_) = value {
            return self.take_group_apart(pat, value);
        }
        let Some(subject) = self.subject_of(value) else { return };
        let mut tested = Tested::default();
        self.test(pat, &subject, &mut tested);
        if let (Some(els), false) = (els, tested.conditions.is_empty()) {
            let condition = negated(all(tested.conditions));
            self.branches(
                condition,
                |this| {
                    let value = this.block_value(els);
                    this.discard(value);
                },
                |_| {},
            );
        }
        self.bind_names(tested.names);
    }

    /// Whether the names of the patterns are all plain data.
    fn all_data(&mut self, pats: &[sk::Pat]) -> bool {
        pats.iter().all(|p| match p {
            sk::Pat::Bind(local, _) => {
                let slot = self.def.locals[*local as usize].slot;
                self.ty(slot).peeled().is_data()
            }
            _ => true,
        })
    }

    /// `let (a, b) = (x, y)` where one of them is a guard: there is no tuple, only its members.
    fn one_by_one(&mut self, pats: &[sk::Pat], elems: &[sk::Expr]) {
        let mut values = vec![];
        for elem in elems {
            let value = match self.expr(elem) {
                Value::Scalar(e) => Value::Scalar(self.stable(e)),
                other => other,
            };
            self.keep(&value);
            values.push(value);
        }
        for (pat, value) in pats.iter().zip(values) {
            if let sk::Pat::Bind(local, _) = pat {
                self.bind(*local, value);
            }
        }
    }

    fn bind_names(&mut self, names: Vec<(sk::Local, Expr)>) {
        for (local, value) in names {
            let value = self.named_value(local, value);
            self.bind(local, value);
        }
    }

    /// A name in a pattern stands for a copy, or for the place if its type is a reference.
    fn named_value(&mut self, local: sk::Local, value: Expr) -> Value {
        let slot = self.def.locals[local as usize].slot;
        match self.ty(slot) {
            Ty::Ref { .. } if value.is_place() => Value::Place(value),
            _ => Value::Scalar(value),
        }
    }

    fn test(&mut self, pat: &sk::Pat, value: &Expr, out: &mut Tested) {
        match pat {
            sk::Pat::Wild => {}
            sk::Pat::Bind(local, sub) => {
                out.names.push((*local, value.clone()));
                if let Some(sub) = sub {
                    self.test(sub, value, out);
                }
            }
            sk::Pat::Bool(true) => out.conditions.push(value.clone()),
            sk::Pat::Bool(false) => out.conditions.push(negated(value.clone())),
            sk::Pat::Int(_) => {
                let other = self.end(pat, &value.ty);
                out.conditions.push(super::expr::binary(BinOp::Eq, value.clone(), other));
            }
            sk::Pat::Const(_) => {
                let other = self.end(pat, &value.ty);
                out.conditions.push(same(value, other));
            }
            sk::Pat::Range { start, end, inclusive } => {
                if let Some(start) = start {
                    let start = self.end(start, &value.ty);
                    let least = value.ty.int().map(|i| if i.signed { -(1i64 << (i.bits - 1)) } else { 0 });
                    // Nothing is below the least value; C++ compilers point that out.
                    if !matches!(start.kind, ExprKind::Int(v) if Some(v) == least) {
                        out.conditions.push(super::expr::binary(BinOp::Ge, value.clone(), start));
                    }
                }
                if let Some(end) = end {
                    let op = if *inclusive { BinOp::Le } else { BinOp::Lt };
                    let end = self.end(end, &value.ty);
                    let most = value.ty.int().map(|i| (1i64 << (i.bits - u8::from(i.signed))) - 1);
                    if !(*inclusive && matches!(end.kind, ExprKind::Int(v) if Some(v) == most)) {
                        out.conditions.push(super::expr::binary(op, value.clone(), end));
                    }
                }
            }
            sk::Pat::Tuple(pats, rest) => {
                let len = if let Ty::Struct(s) = &value.ty { s.fields.len() } else { 0 };
                for (pat, at) in pats.iter().zip(places(pats.len(), *rest, len)) {
                    self.test(pat, &Expr::field(value.clone(), at), out);
                }
            }
            sk::Pat::Array(pats) => {
                for (pat, at) in pats.iter().zip(0..) {
                    let at = Expr { ty: Ty::Usize, kind: ExprKind::Int(at) };
                    let element = match &value.kind {
                        ExprKind::Array(values) => at.as_u32().and_then(|i| values.get(i as usize)).cloned(),
                        _ => None,
                    };
                    let element = element.unwrap_or_else(|| Expr::index(value.clone(), at));
                    self.test(pat, &element, out);
                }
            }
            sk::Pat::Or(pats) => {
                let mut any = vec![];
                for pat in pats {
                    let mut one = Tested::default();
                    self.test(pat, value, &mut one);
                    any.push(all(one.conditions));
                }
                out.conditions.extend(join(BinOp::Or, any));
            }
            sk::Pat::Ref(pat) => self.test(pat, value, out),
            sk::Pat::Struct { variant, fields } => self.test_fields(variant.as_deref(), fields, value, out),
            sk::Pat::Variant { name, fields, rest } => {
                let Some(own) = self.variant_fields(name, value, out) else { return };
                for (pat, at) in fields.iter().zip(places(fields.len(), *rest, own.len())) {
                    if let Some((_, place)) = own.get(at as usize) {
                        self.test(pat, &Expr::field(value.clone(), *place), out);
                    }
                }
            }
        }
    }

    fn test_fields(&mut self, variant: Option<&str>, fields: &[sk::FieldPat], value: &Expr, out: &mut Tested) {
        let own: Vec<(String, u32)> = match &value.ty {
            Ty::Struct(s) if s.form == Form::Struct => {
                s.fields.iter().zip(0..).map(|(f, at)| (f.name.trim_start_matches("r#").to_string(), at)).collect()
            }
            ty => match variant {
                Some(name) => match self.variant_fields(name, value, out) {
                    Some(own) => own,
                    None => return,
                },
                None => {
                    let ty = ty.clone();
                    self.unnamed_variant(&ty);
                    return;
                }
            },
        };
        for field in fields {
            match own.iter().find(|(name, _)| *name == field.name) {
                Some((_, at)) => self.test(&field.pat, &Expr::field(value.clone(), *at), out),
                None => {
                    let name = field.name.clone();
                    self.fault(format!("a pattern with a field `{name}`"));
                }
            }
        }
    }

    /// The fields of a variant, on the condition that it is this one.
    fn variant_fields(&mut self, name: &str, value: &Expr, out: &mut Tested) -> Option<Vec<(String, u32)>> {
        let found = match &value.ty {
            Ty::Struct(s) => match &s.form {
                // A struct without field names has one form.
                Form::Struct if s.name == name => {
                    return Some(s.fields.iter().zip(0..).map(|(f, at)| (f.name.clone(), at)).collect());
                }
                Form::Enum(variants) => {
                    variants.iter().position(|v| v.name == name).map(|at| (at, variants[at].fields.clone()))
                }
                _ => None,
            },
            _ => None,
        };
        let Some((at, fields)) = found else {
            let ty = value.ty.clone();
            self.no_variant(&ty, name);
            return None;
        };
        let kind = Expr::field(value.clone(), 0);
        let this = Expr { ty: kind.ty.clone(), kind: ExprKind::Variant(at as u32) };
        let condition = match (&kind.kind, &this.kind) {
            (ExprKind::Variant(a), ExprKind::Variant(b)) => Expr { ty: Ty::Bool, kind: ExprKind::Bool(a == b) },
            _ => super::expr::binary(BinOp::Eq, kind, this),
        };
        out.conditions.push(condition);
        Some(fields)
    }

    /// A number or constant of a pattern.
    fn end(&mut self, pat: &sk::Pat, ty: &Ty) -> Expr {
        match pat {
            sk::Pat::Int(v) => Expr { ty: ty.clone(), kind: ExprKind::Int(ty.int().map_or(*v, |int| int.wrap(*v))) },
            sk::Pat::Const(slot) => match self.items.get(*slot as usize) {
                Some(Item::Const(e)) => e.clone(),
                _ => Expr::zero(ty),
            },
            _ => Expr::zero(ty),
        }
    }

    pub(super) fn for_each(&mut self, pat: &sk::Pat, array: &sk::Expr, body: &sk::Block) -> Value {
        let array = match self.expr(array) {
            // By value the array is copied before the loop.
            Value::Scalar(e) => self.stable(e),
            Value::Place(e) => e,
            Value::Never => return Value::Never,
            other => {
                let what = other.describe();
                return self.fault(format!("a loop over {what}"));
            }
        };
        let array = if array.is_place() { array } else { self.spill(array) };
        let Ty::Array(_, len) = array.ty else {
            let ty = array.ty.clone();
            return self.refuse(format!("a `for` cannot run over `{ty}`"), "use a range or an array");
        };
        let id = self.new_local("i", Ty::Usize, false);
        self.ranges.insert(id, (0, u64::from(len.max(1)) - 1));
        let element = Expr::index(array, self.read(id));
        let line = self.line;
        let mut tested = Tested::default();
        self.test(pat, &element, &mut tested);
        let names = tested.names;
        let body = self.loop_body_with(|this| this.bind_names(names), body);
        self.line = line;
        let number = |n: u32| Expr { ty: Ty::Usize, kind: ExprKind::Int(i64::from(n)) };
        self.emit(StmtKind::For(Box::new(For {
            local: id,
            start: number(0),
            end: number(len),
            inclusive: false,
            order: Order::Forward,
            step: 1,
            body,
        })));
        Value::Unit
    }

    /// What happens before the body of a loop belongs to each round.
    fn loop_body_with(&mut self, first: impl FnOnce(&mut Self), body: &sk::Block) -> crate::ir::Block {
        let before = self.states();
        self.breaks.push(vec![]);
        let was_diverged = self.diverged;
        self.blocks.push(vec![]);
        self.enter_scope(Kind::Loop);
        first(self);
        let value = self.block_value(body);
        self.discard(value);
        self.leave_scope();
        self.diverged = was_diverged;
        let block = self.blocks.pop().unwrap_or_default();
        for states in self.breaks.pop().unwrap_or_default() {
            let n = before.len().min(states.len());
            self.merge(&states[..n].to_vec());
        }
        self.merge(&before);
        block
    }
}

/// Which of `len` members the `count` patterns are about, if `..` stands behind the first `rest` of them.
fn places(count: usize, rest: Option<u32>, len: usize) -> impl Iterator<Item = u32> {
    let skipped = len.saturating_sub(count) as u32;
    (0..count as u32).map(move |i| if rest.is_some_and(|rest| i >= rest) { i + skipped } else { i })
}

/// The value is this constant. Of an enum with fields only the fields of its variant count.
fn same(value: &Expr, other: Expr) -> Expr {
    let (Ty::Struct(s), ExprKind::Struct(values)) = (&value.ty, &other.kind) else {
        return equal(value.clone(), other);
    };
    let (Form::Enum(variants), Some(Expr { kind: ExprKind::Variant(at), .. })) = (&s.form, values.first()) else {
        return equal(value.clone(), other);
    };
    let own = variants.get(*at as usize).map_or(&[][..], |v| &v.fields);
    let mut conditions = vec![equal(Expr::field(value.clone(), 0), Expr::field(other.clone(), 0))];
    for (_, place) in own {
        conditions.push(equal(Expr::field(value.clone(), *place), Expr::field(other.clone(), *place)));
    }
    all(conditions)
}
