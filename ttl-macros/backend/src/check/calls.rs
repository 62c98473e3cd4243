//! Callees and method names; then `shapes`.

use crate::messages as m;
use crate::model::{Block, Expr, ExprKind, Func, Kind, Role, Stmt};
use crate::report::Report;
use syn::{Ident, Path};
use ttl_skeleton::{RANGE_ADAPTERS, is_method};

pub(crate) fn check(func: &Func, report: &mut Report) {
    let moves_data = matches!(func.kind, Kind::Kernel(Role::Reader | Role::Writer));
    Calls { report, moves_data }.block(&func.body);
    super::shapes::check(func, report);
}

struct Calls<'a> {
    report: &'a mut Report,
    /// The function is a kernel without tile registers.
    moves_data: bool,
}

impl Calls<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { init, .. } => {
                    if let Some(init) = init {
                        self.expr(init);
                    }
                }
                Stmt::Destructure { init, els, .. } => {
                    self.expr(init);
                    if let Some((_, els)) = els {
                        self.block(els);
                    }
                }
                Stmt::Discard { init, .. } => self.expr(init),
                Stmt::Expr { expr, .. } => self.expr(expr),
            }
        }
        if let Some(tail) = &block.tail {
            self.expr(tail);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call { callee, .. } => self.callee(callee),
            ExprKind::Method { name, .. } => self.method(name),
            _ => {}
        }
        expr.kind.children(&mut |e| self.expr(e));
        expr.kind.blocks(&mut |b| self.block(b));
    }

    fn callee(&mut self, path: &Path) {
        let owner = path.segments.iter().rev().nth(1).map(|s| s.ident.to_string());
        if owner.is_some_and(|o| is_primitive(&o)) {
            self.report.refuse(path, &m::TYPE_CALL);
        }
    }

    fn method(&mut self, name: &Ident) {
        let text = name.to_string();
        if text == "store" && self.moves_data {
            self.report.refuse(name, &m::STORE_IN_DATA_MOVEMENT);
            return;
        }
        if is_method(&text) {
            return;
        }
        if RANGE_ADAPTERS.contains(&text.as_str()) {
            self.report.refuse(name, &m::RANGE_METHOD);
            return;
        }
        let refusal = match text.as_str() {
            "into" | "try_into" => &m::METHOD_INTO,
            "clone" | "to_owned" | "copied" | "cloned" => &m::METHOD_CLONE,
            "unwrap" | "expect" | "unwrap_or_else" | "unwrap_or_default" => &m::METHOD_UNWRAP,
            "iter" | "into_iter" | "iter_mut" | "for_each" | "enumerate" | "collect" => &m::METHOD_ITER,
            _ if text.starts_with("checked_")
                || text.starts_with("saturating_")
                || text.starts_with("overflowing_") =>
            {
                &m::METHOD_CHECKED
            }
            // A method of a type of the user, which the copy asks for, or none, which rustc says.
            _ => return,
        };
        self.report.refuse(name, refusal);
    }
}

fn is_primitive(name: &str) -> bool {
    matches!(
        name,
        "bool"
            | "char"
            | "str"
            | "u8"
            | "i8"
            | "u16"
            | "i16"
            | "u32"
            | "i32"
            | "u64"
            | "i64"
            | "u128"
            | "i128"
            | "usize"
            | "isize"
            | "f32"
            | "f64"
    )
}
