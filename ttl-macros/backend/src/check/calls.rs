//! Callees and method names.

use crate::messages as m;
use crate::model::{Block, Expr, ExprKind, Func, Kind, Role, Stmt};
use crate::report::Report;
use syn::{Ident, Path};
use ttl_skeleton::{RANGE_ADAPTERS, is_method, methods};

pub(crate) fn check(func: &Func, report: &mut Report) {
    let moves_data = matches!(func.kind, Kind::Kernel(Role::Reader | Role::Writer));
    Calls { report, moves_data }.block(&func.body);
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
            ExprKind::Call { callee, args, .. } => {
                self.callee(callee);
                for arg in args {
                    self.expr(arg);
                }
            }
            ExprKind::Method { recv, name, args, .. } => {
                self.method(name);
                self.expr(recv);
                for arg in args {
                    self.expr(arg);
                }
            }
            other => children(other, &mut |e| self.expr(e)),
        }
        match &expr.kind {
            ExprKind::Block(b) | ExprKind::Loop { body: b, .. } | ExprKind::While { body: b, .. } => {
                self.block(b);
            }
            ExprKind::If(e) => self.block(&e.then),
            ExprKind::For(e) => self.block(&e.body),
            _ => {}
        }
    }

    fn callee(&mut self, path: &Path) {
        let mut names = path.segments.iter().rev().map(|s| s.ident.to_string());
        let function = names.next().unwrap_or_default();
        let owner = names.next();
        if function.starts_with(char::is_uppercase) {
            self.report.refuse(path, &m::CONSTRUCTOR);
        } else if owner.is_some_and(|o| o.starts_with(char::is_uppercase) || is_primitive(&o)) {
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
            "into" | "from" | "try_into" | "try_from" => &m::METHOD_INTO,
            "clone" | "to_owned" | "copied" | "cloned" => &m::METHOD_CLONE,
            "unwrap" | "expect" | "unwrap_or" | "ok" | "err" | "is_some" | "is_none" => &m::METHOD_UNWRAP,
            "iter" | "into_iter" | "iter_mut" | "map" | "for_each" | "enumerate" | "zip" | "filter" | "sum"
            | "collect" => &m::METHOD_ITER,
            _ if text.starts_with("checked_")
                || text.starts_with("saturating_")
                || text.starts_with("overflowing_") =>
            {
                &m::METHOD_CHECKED
            }
            // Misspelt: rustc says so and knows what this receiver has. Should the method exist, the copy refuses it.
            _ if is_near_a_method(&text) => return,
            _ => {
                self.report.error(name, m::unknown_method(&text));
                return;
            }
        };
        self.report.refuse(name, refusal);
    }
}

/// Visits the expressions directly inside one that is no call: not those in blocks.
fn children(kind: &ExprKind, visit: &mut dyn FnMut(&Expr)) {
    match kind {
        ExprKind::Unary { expr, .. }
        | ExprKind::Cast { expr, .. }
        | ExprKind::Ref { place: expr, .. }
        | ExprKind::Paren { expr, .. } => visit(expr),
        ExprKind::Binary { left, right, .. } => {
            visit(left);
            visit(right);
        }
        ExprKind::Assign { place, value, .. } | ExprKind::AssignOp { place, value, .. } => {
            visit(place);
            visit(value);
        }
        ExprKind::FromBits { arg, .. } => visit(arg),
        ExprKind::If(e) => {
            visit(&e.cond);
            if let Some((_, els)) = &e.els {
                visit(els);
            }
        }
        ExprKind::While { cond, .. } => visit(cond),
        ExprKind::For(e) => {
            visit(&e.range.start);
            visit(&e.range.end);
        }
        ExprKind::Return { value: Some(value), .. } => visit(value),
        _ => {}
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

fn is_near_a_method(name: &str) -> bool {
    methods().any(|m| distance(name, m) <= m.len().div_ceil(4))
}

/// Edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut next = vec![i.saturating_add(1)];
        for ((cb, pair), left) in b.iter().zip(row.windows(2)).zip(0_usize..) {
            let [diagonal, above] = pair else { continue };
            let left = next.get(left).copied().unwrap_or_default();
            let change = diagonal.saturating_add(usize::from(ca != *cb));
            next.push(change.min(above.saturating_add(1)).min(left.saturating_add(1)));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
