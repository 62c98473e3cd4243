//! Expressions whose type follows from a scalar that is known by name.
//!
//! `a + 1`, where `a` is a `u32`, is a `u32`, and so is its literal: Rust's arithmetic on scalars has one type. Such literals stay
//! where they are and such locals need no probe, which keeps rustc's messages about them as they are and saves compile time.
//! Nothing is guessed: it begins at types that are written out (the copy asserts that `u32` is Rust's) and at locals that have
//! probes of their own.

use super::{Copier, is_bare_literal};
use crate::model::{Expr, ExprKind};
use ttl_skeleton::{BinOp, Slot, UnOp};

/// The scalars of the device.
const NAMES: [&str; 8] = ["bool", "u8", "i8", "u16", "i16", "u32", "i32", "f32"];

impl Copier<'_> {
    /// Whether the type at this slot is written out and a scalar.
    pub(super) fn is_scalar_type(&self, slot: Slot) -> bool {
        let key = self.func.types.keys.get(slot as usize);
        key.is_some_and(|key| NAMES.contains(&key.as_str()))
    }

    /// The scalar types that are written out, by name.
    pub(super) fn scalar_types(&self) -> impl Iterator<Item = (&syn::Type, &'static str)> {
        let types = &self.func.types;
        types.list.iter().zip(&types.keys).filter_map(|(ty, key)| {
            let name = NAMES.iter().find(|name| *name == key)?;
            Some((ty, *name))
        })
    }

    /// The slot of the expression's type, if it is a scalar and that is known here.
    pub(super) fn scalar(&self, expr: &Expr) -> Option<Slot> {
        match &expr.kind {
            ExprKind::Local { local, .. } => {
                let known = self.scalars.get(*local as usize).copied();
                self.slot_of(*local).filter(|_| known == Some(true))
            }
            ExprKind::Paren { expr, .. } => self.scalar(expr),
            ExprKind::Int { ty, .. } | ExprKind::Float { ty, .. } => *ty,
            ExprKind::Cast { ty, .. } => ty.slot.filter(|slot| self.is_scalar_type(*slot)),
            ExprKind::Unary { op: UnOp::Neg | UnOp::Not, expr, .. } => self.scalar(expr),
            ExprKind::Binary { op, left, right, .. } => self.scalar_binary(*op, left, right),
            ExprKind::Method { recv, name, .. } => {
                let name = name.to_string();
                let same = name.starts_with("wrapping_") || matches!(name.as_str(), "min" | "max" | "abs" | "div_ceil");
                self.scalar(recv).filter(|_| same)
            }
            _ => None,
        }
    }

    fn scalar_binary(&self, op: BinOp, left: &Expr, right: &Expr) -> Option<Slot> {
        use BinOp as O;
        let (l, r) = (self.scalar(left), self.scalar(right));
        match op {
            O::Add | O::Sub | O::Mul | O::Div | O::Rem | O::BitAnd | O::BitOr | O::BitXor => {
                if r.is_some() || is_bare_literal(right) {
                    l.or_else(|| r.filter(|_| is_bare_literal(left)))
                } else {
                    None
                }
            }
            O::Shl | O::Shr => l.filter(|_| r.is_some() || is_bare_literal(right)),
            // `bool`, which may be written nowhere.
            O::And | O::Or | O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge => None,
        }
    }

    /// The slots of literals on the two sides of an operator: each has the type of the other side.
    pub(super) fn sides(&self, op: BinOp, left: &Expr, right: &Expr) -> (Option<Slot>, Option<Slot>) {
        use BinOp as O;
        match op {
            O::Shl | O::Shr | O::And | O::Or => (None, None),
            O::Add | O::Sub | O::Mul | O::Div | O::Rem | O::BitAnd | O::BitOr | O::BitXor => {
                (self.scalar(right), self.scalar(left))
            }
            // Numbers are only compared with their own type, whatever that is.
            O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge => {
                let of = |e: &Expr| self.scalar(e).or_else(|| self.local_slot(e));
                (of(right), of(left))
            }
        }
    }
}
