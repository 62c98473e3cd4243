//! What is directly inside an expression or a pattern.

use super::{Binding, Block, Expr, ExprKind, Pat, Print};

impl Pat {
    pub(crate) fn bindings<'a>(&'a self, f: &mut dyn FnMut(&'a Binding)) {
        match self {
            Pat::Bind { binding, sub } => {
                f(binding);
                if let Some(sub) = sub {
                    sub.bindings(f);
                }
            }
            Pat::Tuple(pats, _) | Pat::Variant { fields: pats, .. } | Pat::Array(pats) | Pat::Or(pats) => {
                pats.iter().for_each(|p| p.bindings(f));
            }
            Pat::Struct { fields, .. } => fields.iter().for_each(|(_, p)| p.bindings(f)),
            Pat::Ref(p) => p.bindings(f),
            Pat::Wild | Pat::Bool(_) | Pat::Int(_) | Pat::Const { .. } | Pat::Range { .. } => {}
        }
    }
}

impl ExprKind {
    /// The expressions directly inside this one, in the order they are evaluated; not those in blocks.
    pub(crate) fn children<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match self {
            ExprKind::Struct { fields, base, .. } => {
                fields.iter().for_each(|v| f(&v.value));
                if let Some((_, base)) = base {
                    f(base);
                }
            }
            ExprKind::Construct { args: list, .. }
            | ExprKind::Tuple { elems: list, .. }
            | ExprKind::Array { elems: list, .. }
            | ExprKind::Print(Print { args: list, .. })
            | ExprKind::PrintTile(list)
            | ExprKind::Panic(Print { args: list, .. })
            | ExprKind::Call { args: list, .. }
            | ExprKind::CallClosure { args: list, .. } => list.iter().for_each(f),
            ExprKind::Assert(a) => {
                f(&a.cond);
                a.message.iter().flat_map(|m| &m.args).for_each(f);
            }
            ExprKind::Repeat { value: e, .. }
            | ExprKind::Field { base: e, .. }
            | ExprKind::Unary { expr: e, .. }
            | ExprKind::Cast { expr: e, .. }
            | ExprKind::Ref { place: e, .. }
            | ExprKind::Paren { expr: e, .. }
            | ExprKind::Placed { expr: e, .. }
            | ExprKind::FromBits { arg: e, .. }
            | ExprKind::While { cond: e, .. }
            | ExprKind::Return { value: Some(e), .. } => f(e),
            ExprKind::Index { base: a, index: b, .. }
            | ExprKind::Binary { left: a, right: b, .. }
            | ExprKind::Assign { place: a, value: b, .. }
            | ExprKind::AssignOp { place: a, value: b, .. } => {
                f(a);
                f(b);
            }
            ExprKind::Method { recv, args, .. } => {
                f(recv);
                args.iter().for_each(f);
            }
            ExprKind::Match(e) => {
                f(&e.value);
                e.arms.iter().filter_map(|a| a.guard.as_ref()).for_each(|(_, g)| f(g));
            }
            ExprKind::IfLet(e) => {
                f(&e.value);
                if let Some((_, els)) = &e.els {
                    f(els);
                }
            }
            ExprKind::If(e) => {
                f(&e.cond);
                if let Some((_, els)) = &e.els {
                    f(els);
                }
            }
            ExprKind::ForEach(e) => f(&e.array),
            ExprKind::For(e) => {
                f(&e.range.start);
                f(&e.range.end);
            }
            ExprKind::Refused
            | ExprKind::Unit(_)
            | ExprKind::Bool(_)
            | ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Path(_)
            | ExprKind::QPath(_)
            | ExprKind::Local { .. }
            | ExprKind::Const { .. }
            | ExprKind::Zone(_)
            | ExprKind::Closure(_)
            | ExprKind::Block(_)
            | ExprKind::Loop { .. }
            | ExprKind::Break(_)
            | ExprKind::Continue(_)
            | ExprKind::Return { value: None, .. } => {}
        }
    }

    /// The blocks directly inside.
    pub(crate) fn blocks<'a>(&'a self, f: &mut dyn FnMut(&'a Block)) {
        match self {
            ExprKind::Block(b) | ExprKind::Loop { body: b, .. } | ExprKind::While { body: b, .. } => f(b),
            ExprKind::If(e) => f(&e.then),
            ExprKind::Closure(e) => f(&e.body),
            ExprKind::IfLet(e) => f(&e.then),
            ExprKind::For(e) => f(&e.body),
            ExprKind::ForEach(e) => f(&e.body),
            ExprKind::Match(e) => e.arms.iter().for_each(|a| f(&a.body)),
            _ => {}
        }
    }
}
