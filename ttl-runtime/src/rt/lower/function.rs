//! Calls of the user's functions and methods.

use super::Lower;
use super::value::{ResKind, State, Value};
use crate::ir::{Expr, ExprKind, FnId, LocalId, StmtKind, Ty};
use crate::rt::cx::Item;
use ttl_skeleton as sk;

impl Lower<'_> {
    /// A method of the user's type; the receiver is lent as its signature says.
    pub(super) fn user_method(&mut self, slot: sk::Slot, recv: &sk::Expr, args: &[sk::Expr], line: u32) -> Value {
        let statement = std::mem::replace(&mut self.line, line);
        let result = self.call_with(slot, Some(recv), args);
        self.line = statement;
        result
    }

    pub(super) fn call(&mut self, slot: sk::Slot, args: &[sk::Expr]) -> Value {
        self.call_with(slot, None, args)
    }

    fn call_with(&mut self, slot: sk::Slot, recv: Option<&sk::Expr>, args: &[sk::Expr]) -> Value {
        // The function that gets closures needs them before it is lowered itself.
        let closures: Vec<Option<Value>> = args
            .iter()
            .map(|arg| match arg {
                sk::Expr::Closure(closure) => Some(self.closure(closure)),
                _ => None,
            })
            .collect();
        let id = match self.items.get(slot as usize).cloned() {
            Some(Item::Fn(id)) => id,
            Some(Item::Late(make)) => make(self.cx),
            _ => return self.fault("a call without its function"),
        };
        self.call_function(id, recv, args, closures, vec![])
    }

    /// `closures`: which arguments are closures, and their values. `more` comes behind the arguments.
    pub(super) fn call_function(
        &mut self,
        id: FnId,
        recv: Option<&sk::Expr>,
        args: &[sk::Expr],
        mut closures: Vec<Option<Value>>,
        more: Vec<Value>,
    ) -> Value {
        let Some(callee) = self.cx.get(id) else {
            return Value::Never;
        };
        let ret = callee.ret.clone();
        let types: Vec<Ty> = callee.params.iter().map(|p| callee.locals[p.0 as usize].ty.clone()).collect();
        let counts: Vec<bool> = callee.params.iter().map(|p| self.cx.is_page_count(id, *p)).collect();
        let mut values: Vec<Expr> = vec![];
        let mut ends = vec![];
        let first = usize::from(recv.is_some());
        for (at, arg) in recv.into_iter().chain(args).enumerate() {
            let before = self.position();
            let closure = at.checked_sub(first).and_then(|at| closures.get_mut(at)?.take());
            let value = closure.unwrap_or_else(|| self.expr(arg));
            if matches!(value, Value::Pipe(_) | Value::Group(_) | Value::Closure(_)) {
                let mut leaves = vec![];
                self.members(value, &mut leaves);
                for leaf in leaves {
                    let Some(ty) = types.get(values.len()) else { break };
                    let leaf = match (leaf, ty) {
                        (Value::Scalar(e), Ty::Ref { .. }) if e.ty.is_data() => self.lend(e),
                        (leaf, _) => leaf,
                    };
                    let leaf = self.argument(leaf, ty);
                    values.push(leaf);
                    ends.push(self.position());
                }
                continue;
            }
            let Some(ty) = types.get(values.len()) else { break };
            let value = match (value, ty) {
                (Value::Scalar(e), Ty::Ref { .. }) if at == 0 && recv.is_some() => self.lend(e),
                (value, _) => value,
            };
            let guard = match value {
                Value::Res { id, .. } => Some(id),
                _ => None,
            };
            let expr = self.argument(value, ty);
            self.fix_earlier(&mut values, &mut ends, before, &expr);
            ends.push(self.position());
            values.push(expr);
            if let (Some(true), Some(guard)) = (counts.get(values.len()), guard) {
                let pages = self.page_count_of_guard(guard);
                ends.push(self.position());
                values.push(pages);
            }
        }
        self.fix_calls(&mut values);
        for value in more {
            let Some(ty) = types.get(values.len()) else { break };
            let value = self.argument(value, ty);
            values.push(value);
        }
        let call = Expr { ty: ret.clone(), kind: ExprKind::Call(FnId(id.0), values) };
        match ret {
            ty if !super::is_returned(&ty) => Value::Never,
            Ty::Unit => {
                self.emit(StmtKind::Eval(call));
                Value::Unit
            }
            _ => Value::Scalar(call),
        }
    }

    /// An argument of a device function: scalars by value or place, everything else by the local that names it in C++.
    fn argument(&mut self, value: Value, ty: &Ty) -> Expr {
        let named = |local: LocalId| Expr { ty: ty.clone(), kind: ExprKind::Local(local) };
        match value {
            Value::Place(place) if matches!(ty, Ty::Ref { .. }) => Expr { ty: ty.clone(), kind: place.kind },
            Value::Scalar(_) if matches!(ty, Ty::Ref { mutable: true, .. }) => {
                self.error(
                    "the number that is changed through this reference is not known here",
                    "give `&mut x` itself, or a reference bound to it by `let`; ttl cannot follow one that an `if` chose",
                );
                named(LocalId(0))
            }
            Value::Token => Expr { ty: ty.clone(), kind: ExprKind::Erased },
            Value::CbIn(id)
            | Value::CbOut(id)
            | Value::Tensor(id)
            | Value::Semaphore(id)
            | Value::Core(id)
            | Value::CoreRange(id)
            | Value::Words(id) => named(id),
            Value::Res { id, .. } => match (&self.resources[id.0].kind, self.resources[id.0].state) {
                (_, State::Gone) => {
                    self.fault("a guard is used after it was released");
                    named(LocalId(0))
                }
                (ResKind::Front { cb, .. } | ResKind::Reserved { cb, .. }, _) => named(*cb),
                _ => Expr { ty: ty.clone(), kind: ExprKind::Erased },
            },
            other => self.as_scalar(other),
        }
    }
}
