//! Methods of `Option`.

use super::Lower;
use super::expr::binary;
use super::value::Value;
use crate::ir::data::Form;
use crate::ir::{BinOp, Expr, ExprKind, Stmt, StmtKind, Ty};
use ttl_skeleton as sk;

/// The fields of an `Option`: which variant it is, and the value.
const KIND: u32 = 0;
const VALUE: u32 = 1;

impl Lower<'_> {
    pub(super) fn option_method(&mut self, recv: &Value, name: &str, args: &[sk::Expr]) -> Option<Value> {
        let (Value::Scalar(option) | Value::Place(option)) = recv else { return None };
        if !is_option(&option.ty) {
            return None;
        }
        match (name, args) {
            ("is_some", []) => Some(Value::Scalar(is_variant(option.clone(), 1))),
            ("is_none", []) => Some(Value::Scalar(is_variant(option.clone(), 0))),
            ("unwrap_or", [default]) => {
                let [option, default] = self.receiver_and(option.clone(), default);
                let option = self.steady(option);
                let value = Expr::field(option.clone(), VALUE);
                let local = self.new_local("value", value.ty.clone(), true);
                self.emit(StmtKind::Let { local, init: Some(default) });
                let then = vec![Stmt { line: self.line, kind: StmtKind::Assign { local, value } }];
                self.emit(StmtKind::If { cond: is_variant(option, 1), then, els: vec![] });
                Some(Value::Scalar(self.read(local)))
            }
            _ => None,
        }
    }
}

fn is_option(ty: &Ty) -> bool {
    matches!(ty, Ty::Struct(s) if s.name == "Option" && matches!(s.form, Form::Enum(_)))
}

fn is_variant(option: Expr, at: u32) -> Expr {
    let kind = Expr::field(option, KIND);
    if let ExprKind::Variant(known) = kind.kind {
        return Expr { ty: Ty::Bool, kind: ExprKind::Bool(known == at) };
    }
    let this = Expr { ty: kind.ty.clone(), kind: ExprKind::Variant(at) };
    binary(BinOp::Eq, kind, this)
}
