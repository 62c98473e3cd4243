//! Bindings and the release of resources: what Rust's drop rules do, written out.

use super::Lower;
use super::value::{Binding, ResId, ResKind, Resource, State, Value};
use crate::ir::call::{self, Operand};
use crate::ir::{Expr, ExprKind, LocalId, Op, StmtKind, Ty, visit};
use ttl_skeleton as sk;

/// The states of all resources at one point.
pub(super) type States = Vec<State>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Function,
    Loop,
    Block,
    /// One statement: its temporaries are released when it ends.
    Statement,
}

#[derive(Debug)]
pub(super) struct Scope {
    kind: Kind,
    owned: Vec<ResId>,
}

impl Lower<'_> {
    pub(super) fn enter_scope(&mut self, kind: Kind) {
        self.scopes.push(Scope { kind, owned: vec![] });
    }

    /// Releases what the scope still owns, last first.
    pub(super) fn leave_scope(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            for &id in scope.owned.iter().rev() {
                self.release(id);
            }
        }
    }

    /// A new resource, owned by the innermost scope until it is bound or moved.
    pub(super) fn resource(&mut self, kind: ResKind) -> Value {
        let id = ResId(self.resources.len());
        self.resources.push(Resource { kind, state: State::Live, line: self.line });
        if let Some(scope) = self.scopes.last_mut() {
            scope.owned.push(id);
        }
        Value::Res { id, by_ref: false }
    }

    /// Takes a resource out of the statement that made it and gives it to the block around: what `let` does.
    pub(super) fn keep(&mut self, value: &Value) {
        for id in self.owned(value) {
            let Some(at) = self.block_scope() else { continue };
            for scope in &mut self.scopes[at + 1..] {
                scope.owned.retain(|o| *o != id);
            }
            if !self.scopes[at].owned.contains(&id) {
                self.scopes[at].owned.push(id);
            }
        }
    }

    /// What a value owns.
    pub(super) fn owned(&self, value: &Value) -> Vec<ResId> {
        match value {
            Value::Res { id, by_ref: false } => vec![*id],
            Value::Tiles(t) => t.owned.clone(),
            _ => vec![],
        }
    }

    /// `let x;` with a value from an inner block: it is released where `x` is.
    pub(super) fn own_where_declared(&mut self, local: sk::Local, ids: &[ResId]) {
        let Some(&at) = self.declared.get(&local) else { return };
        for id in ids {
            for scope in self.scopes.iter_mut().skip(at + 1) {
                scope.owned.retain(|o| o != id);
            }
            if let Some(scope) = self.scopes.get_mut(at)
                && !scope.owned.contains(id)
            {
                scope.owned.push(*id);
            }
        }
    }

    /// Where a `let` of the statement being lowered declares.
    pub(super) fn block_scope(&self) -> Option<usize> {
        self.scopes.iter().rposition(|s| s.kind != Kind::Statement)
    }

    /// Resources that leave the innermost scope with its value.
    pub(super) fn give_to_parent(&mut self, ids: &[ResId]) {
        let [.., parent, inner] = self.scopes.as_mut_slice() else {
            return;
        };
        for id in ids {
            if inner.owned.contains(id) {
                inner.owned.retain(|o| o != id);
                parent.owned.push(*id);
            }
        }
    }

    /// Releases one resource if it is live: the drop of its Rust value.
    pub(super) fn release(&mut self, id: ResId) {
        if self.diverged || self.resources[id.0].state != State::Live {
            return;
        }
        self.emit_release(id);
        self.resources[id.0].state = State::Gone;
    }

    fn emit_release(&mut self, id: ResId) {
        let Resource { kind, line, .. } = self.resources[id.0].clone();
        match kind {
            ResKind::Front { cb, pages: Some(pages), .. } => self.op(Op::PopFront { cb, pages }),
            ResKind::Reserved { cb, pages: Some(pages), .. } => self.op(Op::PushBack { cb, pages }),
            ResKind::Front { .. } | ResKind::Reserved { .. } => {}
            ResKind::Read { .. } => self.op(Op::ReadBarrier),
            ResKind::Write { .. } | ResKind::Sent { loopback: false } => self.op(Op::WritesFlushed),
            ResKind::Sent { loopback: true } => self.op(Op::WriteBarrier),
            ResKind::TaggedRead { trid, .. } => {
                self.api(call::READ_ID_BARRIER, vec![Operand::Value(trid)]);
            }
            ResKind::TaggedWrite { trid, .. } => {
                self.api(call::WRITE_ID_FLUSH, vec![Operand::Value(trid)]);
            }
            ResKind::Arriving { valid: semaphore } => {
                self.op(Op::SemaphoreWait { semaphore, value: Expr::u32(1), min: false });
            }
            ResKind::PackRegs => self.op(Op::Release),
            ResKind::TileRegs => {
                let now = std::mem::replace(&mut self.line, line);
                self.error(
                    "tile registers are acquired here and never committed",
                    "call `.commit()` and pack the results; a section that is not committed blocks the packer for ever",
                );
                self.line = now;
            }
            ResKind::Accumulator { .. } => {
                let now = std::mem::replace(&mut self.line, line);
                self.error(
                    "this accumulator is never stored",
                    "store it into a reserved block: `y.reserve_back(n).store(acc)`",
                );
                self.line = now;
            }
        }
    }

    /// The value was moved out of its place; someone else has released it or will.
    pub(super) fn moved(&mut self, id: ResId) {
        if self.resources[id.0].state == State::Live {
            self.resources[id.0].state = State::Gone;
        }
    }

    /// Releases every live resource of the scopes from the innermost to the nearest one of `until`, without forgetting them: on the way out
    /// by return, break or continue.
    pub(super) fn release_until(&mut self, until: Kind) {
        let mut leaving = vec![];
        for scope in self.scopes.iter().rev() {
            leaving.extend(scope.owned.iter().rev().copied());
            if scope.kind == until {
                break;
            }
        }
        for id in leaving {
            if self.resources[id.0].state == State::Live && !self.diverged {
                self.emit_release(id);
            }
        }
    }

    pub(super) fn states(&self) -> States {
        self.resources.iter().map(|r| r.state).collect()
    }

    pub(super) fn set_states(&mut self, states: &States) {
        for (r, s) in self.resources.iter_mut().zip(states) {
            r.state = *s;
        }
    }

    /// Two paths meet. What one released and the other still holds cannot be expressed: C++ would need a flag.
    pub(super) fn merge(&mut self, other: &States) {
        for (i, other) in other.iter().enumerate() {
            if self.resources[i].state != *other {
                let line = std::mem::replace(&mut self.line, self.resources[i].line);
                self.error(
                    "this guard is released on one path only",
                    "push or pop it on every path, or let it leave its scope on every path",
                );
                self.line = line;
                self.resources[i].state = State::Gone;
            }
        }
    }

    /// A parameter as its body sees it; `None` if a value of this type cannot be a parameter.
    pub(super) fn param_binding(&mut self, local: LocalId, ty: &Ty) -> Option<Binding> {
        let by_ref = matches!(ty, Ty::Ref { .. });
        let guard = |this: &mut Self, kind| {
            let id = ResId(this.resources.len());
            this.resources.push(Resource { kind, state: State::Borrowed, line: this.line });
            Some(Binding::Alias(Value::Res { id, by_ref: true }))
        };
        match ty.peeled() {
            t if t.is_data() => {
                Some(if by_ref { Binding::Alias(Value::Place(self.read(local))) } else { Binding::Scalar(local) })
            }
            Ty::Noc | Ty::Compute => Some(Binding::Alias(Value::Token)),
            Ty::CbIn(_) => Some(Binding::Alias(Value::CbIn(local))),
            Ty::CbOut(_) => Some(Binding::Alias(Value::CbOut(local))),
            Ty::TensorAccessor(_) => Some(Binding::Alias(Value::Tensor(local))),
            Ty::Semaphore => Some(Binding::Alias(Value::Semaphore(local))),
            Ty::Core => Some(Binding::Alias(Value::Core(local))),
            Ty::CoreRange => Some(Binding::Alias(Value::CoreRange(local))),
            Ty::Words | Ty::CommonWords => Some(Binding::Alias(Value::Words(local))),
            Ty::Front(_) if by_ref => guard(self, ResKind::Front { cb: local, pages: None }),
            Ty::Reserved(_) if by_ref => guard(self, ResKind::Reserved { cb: local, pages: None }),
            Ty::TileRegs if by_ref => guard(self, ResKind::TileRegs),
            Ty::PackRegs if by_ref => guard(self, ResKind::PackRegs),
            _ => None,
        }
    }

    /// `let local = value`, for everything that is no scalar.
    pub(super) fn alias(&mut self, local: sk::Local, value: Value) {
        self.keep(&value);
        self.bindings[local as usize] = Some(Binding::Alias(value));
    }

    /// Whether the innermost `scopes` have anything to release.
    pub(super) fn owns_within(&self, scopes: usize) -> bool {
        let owned = self.scopes.iter().rev().take(scopes).flat_map(|s| &s.owned);
        owned.into_iter().any(|id| self.resources[id.0].state == State::Live)
    }

    /// The value is not used: a statement `e;` or `let _ = e`. What it owns is released at the end of the statement; calls in it happen.
    pub(super) fn discard(&mut self, value: Value) {
        match value {
            Value::Scalar(e) if matches!(e.kind, ExprKind::Call(..)) => self.emit(StmtKind::Eval(e)),
            Value::Scalar(e) if visit::has_call(&e) => {
                self.spill(e);
            }
            _ => {}
        }
    }
}
