//! Plain data: structs, tuples, arrays, enums.

use super::Checker;
use super::ops::{End, end_of};
use crate::ir::{Debug, Expr, ExprKind, Ty};

impl Checker<'_, '_> {
    pub(super) fn data(&mut self, e: &Expr) {
        match (&e.kind, &e.ty) {
            (ExprKind::Field(base, at), ty) => match base.ty.peeled() {
                Ty::Struct(s) => match s.fields.get(*at as usize) {
                    Some(field) => self.same(&field.ty, ty.peeled(), "a field"),
                    None => self.fail(format!("field {at} of {}", base.ty)),
                },
                other => self.fail(format!("a field of {other}")),
            },
            (ExprKind::Index(base, at), ty) => {
                let Ty::Array(of, len) = base.ty.peeled() else {
                    return self.fail(format!("an element of {}", base.ty));
                };
                self.same(of, ty.peeled(), "an element");
                if at.ty.int().is_none() {
                    self.fail(format!("an index of type {}", at.ty));
                }
                if at.as_u32().is_some_and(|at| at >= *len) {
                    self.fail(format!("element {:?} of an array of {len}", at.kind));
                }
                self.unordered(&[base, at]);
            }
            (ExprKind::Struct(values), Ty::Struct(s)) if values.len() == s.fields.len() => {
                for (value, field) in values.iter().zip(&s.fields) {
                    self.same(&field.ty, &value.ty, "a field");
                }
                self.unordered(&values.iter().collect::<Vec<_>>());
            }
            (ExprKind::Array(values), Ty::Array(of, len)) if values.len() == *len as usize => {
                for value in values {
                    self.same(of, &value.ty, "an element");
                }
                self.unordered(&values.iter().collect::<Vec<_>>());
            }
            (ExprKind::Repeat(value), Ty::Array(of, _)) => self.same(of, &value.ty, "an element"),
            (ExprKind::Variant(at), Ty::Enum(ty)) if (*at as usize) < ty.variants.len() => {}
            (_, ty) => self.fail(format!("a value of {ty} that is not complete")),
        }
    }

    /// Conditions are `bool`, what is printed are numbers, one for each hole of the text.
    pub(super) fn debug(&mut self, debug: &Debug) {
        let text = match debug {
            Debug::Assert { cond, message, .. } => {
                self.same(&Ty::Bool, &cond.ty, "a condition");
                message.as_ref()
            }
            Debug::Print(text) => Some(text),
            Debug::Tile(part) => {
                part.numbers.iter().for_each(|n| self.same(&Ty::U32, &n.ty, "a number of a tile"));
                self.unordered(&part.numbers.iter().collect::<Vec<_>>());
                let end = if part.reserved { End::Out } else { End::In };
                if end_of(&self.f.local(part.cb).ty) != Some(end) {
                    self.fail("a tile is printed at the other end of its buffer");
                }
                None
            }
            Debug::Zone(_) => None,
        };
        let Some(text) = text else { return };
        if let Some(arg) = text.args.iter().find(|a| !a.ty.is_scalar() && a.ty != Ty::Usize) {
            self.fail(format!("a {} is printed", arg.ty));
        }
        let holes = text.format.replace("{{", "").matches('{').count();
        if holes != text.args.len() {
            self.fail(format!("{holes} values in a text that gets {}", text.args.len()));
        }
        self.unordered(&text.args.iter().collect::<Vec<_>>());
    }
}
