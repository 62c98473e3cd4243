//! Statements: declarations, assignments, branches and loops.

use super::expr::fold;
use super::function::{Printer, is_printed};
use crate::ir::{Expr, ExprKind, LocalId, Stmt, StmtKind, Ty};

impl Printer<'_> {
    pub(super) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.out.at(stmt.line);
            self.stmt(stmt);
        }
    }

    /// A block in a scope of its own, between braces that the caller writes.
    fn scoped(&mut self, block: &[Stmt]) {
        self.out.indent();
        self.scopes.enter();
        self.block(block);
        self.scopes.leave();
        self.out.dedent();
    }

    fn repeated(&mut self, body: &[Stmt]) {
        self.loops += 1;
        self.scoped(body);
        self.loops -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let { local, init } => self.let_(*local, init.as_ref()),
            StmtKind::Assign { local, value } => {
                let name = self.name(*local);
                self.assign(&name, value);
            }
            StmtKind::Set { place, value } => {
                let place = self.text(place);
                self.assign(&place, value);
            }
            StmtKind::Eval(expr) => {
                let text = self.text(expr);
                self.called_expr(expr);
                self.out.code(&format!("{text};"));
            }
            StmtKind::Debug(debug) => self.debug(debug),
            StmtKind::Op(op) => self.op(op),
            StmtKind::If { cond, then, els } => self.if_(cond, then, els),
            StmtKind::While { cond, body } => {
                let cond = self.text(cond);
                self.out.code(&format!("while ({cond}) {{"));
                self.repeated(body);
                self.out.plain("}");
            }
            StmtKind::Loop { body } => {
                self.out.code("while (true) {");
                self.repeated(body);
                self.out.plain("}");
            }
            StmtKind::For(l) => self.for_loop(l),
            StmtKind::Break => self.out.code("break;"),
            StmtKind::Continue => self.out.code("continue;"),
            StmtKind::Return(None) => self.out.code("return;"),
            StmtKind::Return(Some(value)) => {
                let text = self.text(value);
                let text = if is_printed(&value.ty) { format!("return {text};") } else { format!("{text};") };
                self.out.code(&text);
                if !is_printed(&value.ty) {
                    self.called_expr(value);
                    self.out.code("return;");
                }
            }
            StmtKind::Block(body) => {
                self.out.plain("{");
                self.scoped(body);
                self.out.plain("}");
            }
        }
    }

    fn assign(&mut self, place: &str, value: &Expr) {
        match self.filling(value) {
            Some(filling) => self.out.code(&format!("{place}.fill({filling});")),
            None => {
                let value = self.text(value);
                self.out.code(&format!("{place} = {value};"));
            }
        }
    }

    fn let_(&mut self, local: LocalId, init: Option<&Expr>) {
        let ty = &self.f.local(local).ty;
        if !is_printed(ty) {
            // No value, but a call may be needed for its effect.
            if let Some(init) = init
                && matches!(init.kind, ExprKind::Call(..))
            {
                let text = self.text(init);
                self.called_expr(init);
                self.out.code(&format!("{text};"));
            }
            return;
        }
        let filling = init.and_then(|e| self.filling(e));
        let value = if filling.is_some() { None } else { init.map(|e| self.text(e)) };
        let unused = if self.read.contains(&local) { "" } else { "[[maybe_unused]] " };
        let constant = value.is_some() && !self.assigned.contains(&local);
        let qualifier = if constant { "const " } else { "" };
        if constant && init.and_then(fold).is_some_and(|v| v < 0) {
            self.negative.insert(local);
        }
        let cpp = match ty.peeled() {
            Ty::TensorAccessor(_) => "auto&".to_string(),
            peeled => self.type_name(peeled),
        };
        // Declared after its value is printed: `let x = x + 1` reads the earlier `x`.
        let name = self.declare(local);
        // Rust has proven that it is assigned before it is read; the C++ compiler may not see it.
        if let Some(filling) = filling {
            self.out.code(&format!("{cpp} {name};"));
            self.out.code(&format!("{name}.fill({filling});"));
            return;
        }
        let empty = match ty.peeled() {
            Ty::Bool => "false".to_owned(),
            Ty::Struct(_) | Ty::Array(..) | Ty::Enum(_) => format!("{cpp}{{}}"),
            _ => "0".to_owned(),
        };
        let value = value.unwrap_or(empty);
        self.out.code(&format!("{unused}{qualifier}{cpp} {name} = {value};"));
    }

    fn if_(&mut self, cond: &Expr, then: &[Stmt], els: &[Stmt]) {
        let text = self.text(cond);
        self.out.code(&format!("if ({text}) {{"));
        self.scoped(then);
        let mut els = els;
        // `else if` for an else block that is nothing but another if.
        while let [Stmt { line, kind: StmtKind::If { cond, then, els: next } }] = els {
            self.out.at(*line);
            let text = self.text(cond);
            self.out.code(&format!("}} else if ({text}) {{"));
            self.scoped(then);
            els = next;
        }
        if !els.is_empty() {
            self.out.plain("} else {");
            self.scoped(els);
        }
        self.out.plain("}");
    }
}
