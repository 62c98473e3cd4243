//! Constants of Rust, evaluated by rustc and written into the IR.

use crate::ir::{Expr, ExprKind, Ty};
use crate::rt::probe::Named;

/// A type whose constants can be used in device code.
#[diagnostic::on_unimplemented(
    message = "this `{Self}` cannot be used in a ttl kernel",
    label = "not a constant of a device type",
    note = "constants in device code are `bool`, integers of at most 32 bits, `f32`, and plain data of them; functions are called, not passed"
)]
pub trait DeviceConst {
    fn expr(&self) -> Expr;
}

macro_rules! ints {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl DeviceConst for $t {
            fn expr(&self) -> Expr {
                Expr {
                    ty: <$t as Named>::ty(),
                    kind: ExprKind::Int(i64::from(*self)),
                }
            }
        }
    )*};
}

ints!(u8 i8 u16 i16 u32 i32);

/// Lengths and indices: one that needs more than 32 bits is refused by lowering.
#[diagnostic::do_not_recommend]
impl DeviceConst for usize {
    fn expr(&self) -> Expr {
        Expr { ty: Ty::Usize, kind: ExprKind::Int(i64::try_from(*self).unwrap_or(i64::MAX)) }
    }
}

#[diagnostic::do_not_recommend]
impl DeviceConst for bool {
    fn expr(&self) -> Expr {
        Expr { ty: Ty::Bool, kind: ExprKind::Bool(*self) }
    }
}

#[diagnostic::do_not_recommend]
impl DeviceConst for f32 {
    fn expr(&self) -> Expr {
        Expr { ty: Ty::F32, kind: ExprKind::F32(*self) }
    }
}
