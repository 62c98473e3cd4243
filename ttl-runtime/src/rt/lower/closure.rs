//! Closures: each becomes a function of its own, with what it uses of the function around it as further parameters.
//!
//! They are `Fn`, so nothing that they use changes while they are lent: it is passed by value.

use super::Lower;
use super::scope;
use super::value::{Binding, Value};
use crate::ir::{self, ExprKind, FnId, LocalId, StmtKind, Ty};
use crate::rt::cx::Item;
use ttl_skeleton as sk;

/// A closure as a value: its function, and what that gets behind the arguments of the closure.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    pub(super) function: FnId,
    pub(super) used: Vec<Value>,
}

/// The function around a closure while this is lowered.
pub(super) struct Around {
    bindings: Vec<Option<Binding>>,
    locals: Vec<ir::Local>,
    /// Values of the function around, and the parameter that each has become.
    used: Vec<(Value, LocalId)>,
}

impl Lower<'_> {
    /// A parameter that is a closure: what the closure uses.
    pub(super) fn closure_param(&mut self, p: sk::Local) -> Option<Vec<LocalId>> {
        let Some(Item::Closure(key)) = self.items.get(self.def.locals[p as usize].slot as usize) else { return None };
        let Some(found) = self.cx.closure(*key).cloned() else {
            self.fault("a closure that was never given");
            return Some(vec![]);
        };
        let mut params = vec![];
        let mut used = vec![];
        for (name, ty) in &found.captures {
            let local = self.new_local(name, ty.clone(), false);
            params.push(local);
            used.push(self.parameter_value(local, ty));
        }
        self.bindings[p as usize] = Some(Binding::Alias(Value::Closure(Closure { function: found.function, used })));
        Some(params)
    }

    fn parameter_value(&mut self, local: LocalId, ty: &Ty) -> Value {
        match self.param_binding(local, ty) {
            Some(Binding::Alias(value)) => value,
            _ => Value::Scalar(self.read(local)),
        }
    }

    /// Lowers a closure that is given to a function.
    pub(super) fn closure(&mut self, closure: &sk::Closure) -> Value {
        let Some(Item::Closure(key)) = self.items.get(closure.slot as usize).cloned() else {
            return self.fault("a closure without its type");
        };
        let around = Around { bindings: self.bindings.clone(), locals: self.locals.clone(), used: vec![] };
        let mut inner = Lower::new(self.cx, self.def, self.items, self.file);
        inner.line = closure.line;
        inner.around = Some(around);
        inner.enter_scope(scope::Kind::Function);
        let mut params = vec![];
        for p in &closure.params {
            params.extend(inner.bind_param(*p));
        }
        let value = inner.block_value(&closure.body);
        let ret = match &value {
            _ if inner.diverged => Ty::Unit,
            Value::Scalar(e) | Value::Place(e) => e.ty.clone(),
            _ => Ty::Unit,
        };
        if ret == Ty::Unit {
            inner.discard(value);
            inner.leave_scope();
        } else {
            let value = inner.as_scalar(value);
            inner.leave_scope();
            inner.emit(StmtKind::Return(Some(value)));
        }
        let used = inner.around.take().map(|a| a.used).unwrap_or_default();
        params.extend(used.iter().map(|(_, local)| *local));
        let captures = used.iter().map(|(_, local)| &inner.locals[local.0 as usize]);
        let captures = captures.map(|local| (local.name.clone(), local.ty.clone())).collect();
        let function = ir::Fn {
            name: format!("{}_closure", inner.def.name),
            generics: vec![],
            file: inner.file,
            line: closure.line,
            locals: inner.locals,
            params,
            ret,
            body: inner.blocks.pop().unwrap_or_default(),
            temps: vec![],
        };
        self.cx.add_closure(key, function, captures);
        let function = self.cx.closure(key).map_or(FnId(u32::MAX), |c| c.function);
        Value::Closure(Closure { function, used: used.into_iter().map(|(value, _)| value).collect() })
    }

    /// In a closure: a local of the function around it, which becomes a parameter.
    pub(super) fn captured(&mut self, l: sk::Local) -> Option<Value> {
        let around = self.around.as_ref()?;
        let binding = around.bindings.get(l as usize)?.clone()?;
        let value = match binding {
            Binding::Scalar(id) => {
                let ty = around.locals[id.0 as usize].ty.peeled().clone();
                Value::Scalar(ir::Expr { ty, kind: ExprKind::Local(id) })
            }
            Binding::Alias(value) => value,
        };
        let name = self.def.locals[l as usize].name.clone();
        let inside = self.inside(&name, value);
        self.bindings[l as usize] = Some(Binding::Alias(inside.clone()));
        Some(inside)
    }

    pub(super) fn inside(&mut self, name: &str, value: Value) -> Value {
        let ty = match &value {
            Value::Token => return Value::Token,
            Value::Scalar(e) | Value::Place(e) => e.ty.clone(),
            Value::CbIn(id)
            | Value::CbOut(id)
            | Value::Tensor(id)
            | Value::Semaphore(id)
            | Value::Core(id)
            | Value::CoreRange(id)
            | Value::Words(id) => match &self.around {
                Some(around) => around.locals[id.0 as usize].ty.clone(),
                None => Ty::Unit,
            },
            Value::Group(group) => return self.group_inside(name, &group.clone()),
            Value::Closure(closure) => {
                let Closure { function, used } = closure.clone();
                let used = used.into_iter().map(|value| self.inside(name, value)).collect();
                return Value::Closure(Closure { function, used });
            }
            other => {
                let what = other.describe();
                return self.refuse(
                    format!("`{name}` is {what} and cannot be used in a closure"),
                    "read what is needed before the call, and use the number in the closure",
                );
            }
        };
        let by_place = matches!(value, Value::Place(_));
        let local = self.new_local(name, ty.clone(), false);
        if let Some(around) = &mut self.around {
            around.used.push((value, local));
        }
        match self.parameter_value(local, &ty) {
            Value::Scalar(e) if by_place => Value::Place(e),
            value => value,
        }
    }

    pub(super) fn call_closure(&mut self, local: sk::Local, args: &[sk::Expr]) -> Value {
        let Value::Closure(closure) = self.expr(&sk::Expr::Local(local)) else { return Value::Never };
        let mut used = vec![];
        closure.used.iter().for_each(|v| self.members(v.clone(), &mut used));
        self.call_function(closure.function, None, args, vec![], used)
    }
}
