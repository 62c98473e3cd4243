//! What the written kernel calls, beside its text: for readers of reports.

use super::function::Printer;
use crate::ir::call::Call;
use crate::ir::{Expr, ExprKind};

/// A statement that is a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Called {
    /// With template arguments.
    pub function: String,
    /// Loops of its function around it.
    pub loops: u32,
    /// It prepares a unit, or gives up what was prepared.
    pub sets_up: bool,
}

impl Printer<'_> {
    /// A call as a statement.
    pub(super) fn call(&mut self, function: &str, args: &[String]) {
        self.called(function);
        self.out.code(&format!("{function}({});", args.join(", ")));
    }

    /// Calls that set up or give up.
    pub(super) fn set_up(&mut self, calls: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.sets_up, true);
        calls(self);
        self.sets_up = before;
    }

    pub(super) fn called(&mut self, function: &str) {
        let (function, loops, sets_up) = (function.to_owned(), self.loops, self.sets_up);
        self.calls.push(Called { function, loops, sets_up });
    }

    /// A call of the table: its function, without what is written around it.
    pub(super) fn called_row(&mut self, call: &Call) {
        let cpp = call.row.cpp;
        // A method of an object: `Noc().write(..)`.
        let from = cpp.find("().").map_or(0, |at| at + 3);
        let text = &cpp[from..];
        let function = &text[..text.find('(').unwrap_or(text.len())];
        if !function.contains(['$', '%', '=', '*']) {
            self.called(function);
        }
    }

    /// A statement that evaluates an expression, which may be a call of a device function.
    pub(super) fn called_expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(callee, _) = &expr.kind {
            let function = self.function_name(*callee);
            self.called(&function);
        }
    }
}
