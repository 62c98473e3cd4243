//! What constants decide of conditions: `!BIAS && s == 0` is `s == 0`, or nothing at all.

use super::expand::constant;
use crate::ir::{BinOp, Expr, ExprKind, Ty, visit};

/// Leaves out what has no part in the value. Nothing that has an effect is dropped, but what would not have been evaluated.
pub(crate) fn simplify(e: &mut Expr) {
    if e.ty != Ty::Bool {
        return;
    }
    match &mut e.kind {
        ExprKind::Not(of) => {
            simplify(of);
            match &mut of.kind {
                ExprKind::Bool(b) => e.kind = ExprKind::Bool(!*b),
                ExprKind::Not(inner) => *e = (**inner).clone(),
                _ => {}
            }
        }
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            simplify(a);
            simplify(b);
            // What the whole is if one side alone decides it.
            let decides = *op == BinOp::Or;
            match (&a.kind, &b.kind) {
                (ExprKind::Bool(a), _) if *a == decides => e.kind = ExprKind::Bool(decides),
                (ExprKind::Bool(_), _) => *e = (**b).clone(),
                (_, ExprKind::Bool(b)) if *b != decides => *e = (**a).clone(),
                (_, ExprKind::Bool(_)) if !has_effect(a) => e.kind = ExprKind::Bool(decides),
                _ => {}
            }
        }
        ExprKind::Binary(op, a, b) if a.ty != Ty::F32 => {
            if let (Some(a), Some(b)) = (constant(a), constant(b)) {
                e.kind = ExprKind::Bool(match op {
                    BinOp::Eq => a == b,
                    BinOp::Ne => a != b,
                    BinOp::Lt => a < b,
                    BinOp::Le => a <= b,
                    BinOp::Gt => a > b,
                    BinOp::Ge => a >= b,
                    _ => return,
                });
            }
        }
        _ => {}
    }
}

/// The value of a condition that constants decide.
pub(crate) fn truth(e: &Expr) -> Option<bool> {
    let mut e = e.clone();
    simplify(&mut e);
    match e.kind {
        ExprKind::Bool(b) => Some(b),
        _ => None,
    }
}

fn has_effect(e: &Expr) -> bool {
    let mut found = false;
    visit::each_expr(e, &mut |e| found |= matches!(e.kind, ExprKind::Call(..) | ExprKind::Query(_)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{FnId, LocalId};

    fn bool_of(kind: ExprKind) -> Expr {
        Expr { ty: Ty::Bool, kind }
    }

    fn yes() -> Expr {
        bool_of(ExprKind::Bool(true))
    }

    fn no() -> Expr {
        bool_of(ExprKind::Not(Box::new(yes())))
    }

    fn both(op: BinOp, a: &Expr, b: &Expr) -> Expr {
        bool_of(ExprKind::Binary(op, Box::new(a.clone()), Box::new(b.clone())))
    }

    #[test]
    fn what_decides_nothing_is_left_out() {
        let s = bool_of(ExprKind::Local(LocalId(0)));
        let call = bool_of(ExprKind::Call(FnId(0), vec![]));
        let made = |mut e: Expr| {
            simplify(&mut e);
            e
        };
        let constant = |b| bool_of(ExprKind::Bool(b));
        assert_eq!(made(both(BinOp::And, &yes(), &s)), s);
        assert_eq!(made(both(BinOp::And, &s, &yes())), s);
        assert_eq!(made(both(BinOp::Or, &no(), &both(BinOp::Or, &s, &no()))), s);
        assert_eq!(made(both(BinOp::And, &no(), &s)), constant(false));
        assert_eq!(made(both(BinOp::Or, &s, &yes())), constant(true));
        // It is not evaluated in the first, and is in the second.
        assert_eq!(made(both(BinOp::And, &no(), &call)), constant(false));
        assert_eq!(made(both(BinOp::And, &call, &constant(false))), both(BinOp::And, &call, &constant(false)));
        let not = |e: &Expr| bool_of(ExprKind::Not(Box::new(e.clone())));
        assert_eq!(made(not(&not(&s))), s);
        let less = both(BinOp::Lt, &Expr::u32(3), &Expr::u32(4));
        assert_eq!(truth(&not(&less)), Some(false));
        assert_eq!(truth(&s), None);
    }
}
