//! `div_ceil` of unsigned numbers.

use super::Lower;
use super::expr::binary;
use super::value::Value;
use crate::ir::{BinOp, Expr, ExprKind};
use ttl_skeleton as sk;

impl Lower<'_> {
    /// `a / b` and one more if something is left: `(a + b - 1) / b` would overflow where Rust's does not.
    pub(super) fn div_ceil(&mut self, a: Expr, args: &[sk::Expr]) -> Value {
        let [b] = args else { return Value::Never };
        let ty = a.ty.clone();
        let [a, b] = self.receiver_and(a, b);
        let (a, b) = (self.stable(a), self.stable(b));
        if let (ExprKind::Int(a), ExprKind::Int(b)) = (&a.kind, &b.kind)
            && let (Ok(a), Ok(b)) = (u64::try_from(*a), u64::try_from(*b))
            && b > 0
            && let Ok(value) = i64::try_from(a.div_ceil(b))
        {
            return Value::Scalar(Expr { ty, kind: ExprKind::Int(value) });
        }
        let zero = Expr { ty: ty.clone(), kind: ExprKind::Int(0) };
        let left = binary(BinOp::Ne, binary(BinOp::Rem, a.clone(), b.clone()), zero);
        let more = Expr { ty, kind: ExprKind::Cast(Box::new(left)) };
        Value::Scalar(binary(BinOp::Add, binary(BinOp::Div, a, b), more))
    }
}
