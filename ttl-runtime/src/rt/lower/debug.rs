//! Assertions, printing, zones.

use super::Lower;
use super::value::Value;
use crate::ir::{Debug, Expr, ExprKind, LocalId, StmtKind, Text, TilePart, Ty};
use ttl_skeleton as sk;

impl Lower<'_> {
    fn text(&mut self, print: &sk::Print) -> Text {
        let args = self.operands(&print.args.iter().collect::<Vec<_>>());
        if let Some(arg) = args.iter().find(|a| !a.ty.is_scalar() && !matches!(a.ty, Ty::Usize | Ty::Never)) {
            let ty = arg.ty.clone();
            self.fault(format!("a `{ty}` is printed"));
        }
        Text { format: print.format.clone(), args }
    }

    pub(super) fn print(&mut self, print: &sk::Print) -> Value {
        let text = self.text(print);
        self.emit(StmtKind::Debug(Debug::Print(text)));
        Value::Unit
    }

    pub(super) fn assert(&mut self, a: &sk::Assert) -> Value {
        let cond = self.condition(&a.cond);
        // The operands of the message are evaluated only if it is needed; they have no effects that could be missed.
        let before = self.position();
        let message = a.message.as_ref().map(|m| self.text(m));
        if self.position() > before {
            self.error(
                "the message of this assertion has a value that must be computed before",
                "give it a variable: `let x = ..; assert!(.., \"{}\", x)`",
            );
        }
        self.emit(StmtKind::Debug(Debug::Assert { cond, what: a.what.clone(), message }));
        Value::Unit
    }

    pub(super) fn panic(&mut self, print: &sk::Print) -> Value {
        let message = self.text(print);
        let cond = Expr { ty: Ty::Bool, kind: ExprKind::Bool(false) };
        let what = message.format.clone();
        self.emit(StmtKind::Debug(Debug::Assert { cond, what, message: Some(message) }));
        // Should assertions be off, the thread stays here.
        self.emit(StmtKind::Loop { body: vec![] });
        self.diverged = true;
        Value::Never
    }

    /// `args`: the tile, the first row and the one after the last, the same of the columns.
    pub(super) fn print_tile(&mut self, cb: LocalId, reserved: bool, args: &[sk::Expr]) -> Value {
        let numbers = self.operands(&args.iter().collect::<Vec<_>>());
        if let Ok(numbers) = numbers.try_into() {
            self.emit(StmtKind::Debug(Debug::Tile(Box::new(TilePart { cb, reserved, numbers }))));
        }
        Value::Unit
    }

    pub(super) fn zone(&mut self, name: &str) -> Value {
        self.emit(StmtKind::Debug(Debug::Zone(name.to_string())));
        Value::Unit
    }
}
