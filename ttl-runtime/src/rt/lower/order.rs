//! The order of evaluation: operands from left to right, and temporaries for what a later one could change.

use super::Lower;
use crate::ir::call::Effect;
use crate::ir::{Expr, ExprKind, Query, StmtKind, Ty, visit};
use std::collections::BTreeSet;
use ttl_skeleton as sk;

impl Lower<'_> {
    /// Lowers several operands so that they are evaluated from left to right: an operand that a later one could change is kept in a
    /// temporary, and so is a call that could change a later one.
    pub(super) fn operands(&mut self, es: &[&sk::Expr]) -> Vec<Expr> {
        let mut done: Vec<Expr> = vec![];
        let mut ends: Vec<usize> = vec![];
        for e in es {
            let before = self.position();
            let value = self.scalar(e);
            self.fix_earlier(&mut done, &mut ends, before, &value);
            ends.push(self.position());
            done.push(value);
        }
        self.fix_calls(&mut done);
        done
    }

    /// A receiver that is lowered already, and the argument of its method.
    pub(super) fn receiver_and(&mut self, receiver: Expr, argument: &sk::Expr) -> [Expr; 2] {
        let before = self.position();
        let argument = self.scalar(argument);
        let mut both = [receiver, argument.clone()];
        self.fix_earlier(&mut both[..1], &mut [before], before, &argument);
        self.fix_calls(&mut both);
        both
    }

    /// A further operand comes behind `done`, whose statements begin at `before`: keeps what these or a call in it could change.
    pub(super) fn fix_earlier(&mut self, done: &mut [Expr], ends: &mut [usize], before: usize, next: &Expr) {
        let emitted = self.position() > before;
        let mut shift = 0;
        for (earlier, end) in done.iter_mut().zip(ends) {
            // Nothing is read where a place is lent.
            let value = earlier.ty.is_data();
            if value && (changes(next, earlier) || (emitted && !self.is_stable(earlier))) {
                *earlier = self.spill_at(earlier.clone(), *end + shift);
                shift += 1;
            }
            *end += shift;
        }
    }

    /// C++ leaves the order of operands open: a call that could change what another operand reads happens before.
    pub(super) fn fix_calls(&mut self, done: &mut [Expr]) {
        for at in 0..done.len() {
            let call = &done[at];
            if done.iter().enumerate().any(|(i, other)| i != at && other.ty.is_data() && changes(call, other)) {
                done[at] = self.spill(done[at].clone());
            }
        }
    }

    pub(super) fn position(&self) -> usize {
        self.blocks.last().map_or(0, Vec::len)
    }

    /// Nothing that runs later can change it.
    pub(super) fn is_stable(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::F32(_) | ExprKind::Bool(_) | ExprKind::Variant(_) => true,
            ExprKind::Field(a, _) | ExprKind::Repeat(a) => self.is_stable(a),
            ExprKind::Index(a, b) => self.is_stable(a) && self.is_stable(b),
            ExprKind::Struct(xs) | ExprKind::Array(xs) => xs.iter().all(|x| self.is_stable(x)),
            ExprKind::Local(id) => {
                let local = &self.locals[id.0 as usize];
                !local.mutable && !matches!(local.ty, Ty::Ref { mutable: true, .. })
            }
            ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Cast(a) | ExprKind::Bits(a) => self.is_stable(a),
            ExprKind::Binary(_, a, b) => self.is_stable(a) && self.is_stable(b),
            ExprKind::Query(Query::Call(call)) => {
                call.row.effect == Effect::Pure && call.exprs().all(|e| self.is_stable(e))
            }
            ExprKind::Query(q) => is_constant(q),
            ExprKind::Call(..) => false,
            ExprKind::Erased => true,
        }
    }

    /// The value now, whatever runs later.
    pub(super) fn stable(&mut self, e: Expr) -> Expr {
        if self.is_stable(&e) { e } else { self.spill(e) }
    }

    pub(super) fn spill(&mut self, e: Expr) -> Expr {
        let at = self.position();
        self.spill_at(e, at)
    }

    pub(super) fn spill_at(&mut self, e: Expr, at: usize) -> Expr {
        if self.diverged {
            return e;
        }
        let ty = e.ty.clone();
        let local = self.new_local("value", ty.clone(), false);
        let line = self.line;
        let stmt = crate::ir::Stmt { line, kind: StmtKind::Let { local, init: Some(e) } };
        let block = self.blocks.last_mut().expect("a block is open");
        block.insert(at.min(block.len()), stmt);
        Expr { ty, kind: ExprKind::Local(local) }
    }
}

/// Whether evaluating `e` could change the value of `other`: a call in it does, if it gets a `&mut` to what `other` reads, or if `other`
/// looks at the device or calls itself.
pub(super) fn changes(e: &Expr, other: &Expr) -> bool {
    if !visit::has_call(e) {
        return false;
    }
    let mut looks = false;
    visit::each_expr(other, &mut |e| {
        looks |= match &e.kind {
            ExprKind::Call(..) => true,
            ExprKind::Query(q) => !is_constant(q),
            _ => false,
        };
    });
    let mut read = BTreeSet::new();
    visit::expr_locals(other, &mut read);
    let mut lent = false;
    visit::each_expr(e, &mut |e| lent |= visit::lent_locals(e).any(|l| read.contains(&l)));
    looks || lent
}

/// A query whose answer is the same throughout the kernel, or as long as its operands are.
fn is_constant(query: &Query) -> bool {
    if let Query::Call(call) = query {
        return call.row.effect == Effect::Pure;
    }
    matches!(query, Query::CoreX | Query::CoreY | Query::PageSize(_) | Query::TileSize(_))
}
