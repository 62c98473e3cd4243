//! Statements and control flow.

use super::Lower;
use super::scope::Kind;
use super::value::{Binding, State, Value};
use crate::ir::passes::conditions::truth;
use crate::ir::{self, Expr, ExprKind, LocalId, Order, StmtKind, Ty, visit};
use ttl_skeleton as sk;

/// What the branches of an `if` or `match` gave: a number in a local, or something else.
#[derive(Default)]
pub(super) struct Result {
    local: Option<LocalId>,
    other: Option<Value>,
}

/// Lowers one branch.
type Branch<'f, 'm> = Box<dyn FnOnce(&mut Lower<'m>) + 'f>;

impl Lower<'_> {
    /// Statements and value of a block, in a scope of its own. The value survives the scope.
    pub(super) fn block_value(&mut self, b: &sk::Block) -> Value {
        self.enter_scope(Kind::Block);
        for s in &b.stmts {
            self.stmt(s);
        }
        let value = match &b.tail {
            Some(tail) => {
                self.line = tail.line;
                match &tail.kind {
                    sk::StmtKind::Expr(e) => {
                        self.enter_scope(Kind::Statement);
                        let value = self.expr(e);
                        let value = match value {
                            Value::Scalar(e) => Value::Scalar(self.fixed_before_release(e, 2)),
                            other => other,
                        };
                        self.keep(&value);
                        self.leave_scope();
                        value
                    }
                    _ => Value::Unit,
                }
            }
            None => Value::Unit,
        };
        self.hand_over(&value);
        self.leave_scope();
        if self.diverged { Value::Never } else { value }
    }

    /// A value that looks at the device, taken before the innermost `scopes` release what they own.
    pub(super) fn fixed_before_release(&mut self, e: Expr, scopes: usize) -> Expr {
        let mut looks = false;
        visit::each_expr(&e, &mut |e| looks |= matches!(e.kind, ExprKind::Query(_) | ExprKind::Call(..)));
        if looks && self.owns_within(scopes) { self.stable(e) } else { e }
    }

    /// The block's value leaves it: its resources go to the scope around.
    fn hand_over(&mut self, value: &Value) {
        let ids = match value {
            Value::Res { id, by_ref: false } => vec![*id],
            Value::Tiles(t) => t.owned.clone(),
            _ => return,
        };
        self.give_to_parent(&ids);
    }

    fn stmt(&mut self, s: &sk::Stmt) {
        self.line = s.line;
        self.enter_scope(Kind::Statement);
        match &s.kind {
            sk::StmtKind::Let { local, init: None } => {
                let decl = &self.def.locals[*local as usize];
                let ty = self.ty(decl.slot);
                if ty.is_data() {
                    let id = self.new_local(&decl.name, ty, decl.mutable);
                    self.emit(StmtKind::Let { local: id, init: None });
                    self.bindings[*local as usize] = Some(Binding::Scalar(id));
                } else if let Some(at) = self.block_scope() {
                    self.declared.insert(*local, at);
                }
            }
            sk::StmtKind::Let { local, init: Some(e) } => self.let_value(*local, e),
            sk::StmtKind::Destructure { pat, value, els } => self.destructure(pat, value, els.as_ref()),
            sk::StmtKind::Discard(e) | sk::StmtKind::Expr(e) => {
                let value = self.expr(e);
                self.discard(value);
            }
        }
        self.line = s.line;
        self.leave_scope();
    }

    fn let_value(&mut self, local: sk::Local, e: &sk::Expr) {
        let decl = &self.def.locals[local as usize];
        let ty = self.ty(decl.slot);
        // A branch or block that gives a number writes it straight into the variable.
        if ty.is_data() && matches!(e, sk::Expr::If { .. } | sk::Expr::Block(_) | sk::Expr::Match { .. }) {
            let id = self.new_local(&decl.name, ty, decl.mutable);
            self.emit(StmtKind::Let { local: id, init: None });
            self.value_into(id, e);
            self.bindings[local as usize] = Some(Binding::Scalar(id));
            return;
        }
        let value = self.expr(e);
        self.bind(local, value);
    }

    pub(super) fn bind(&mut self, local: sk::Local, value: Value) {
        let decl = &self.def.locals[local as usize];
        match value {
            Value::Scalar(Expr { kind: ExprKind::Local(id), .. }) if self.just_made(id, "value") && !decl.mutable => {
                self.locals[id.0 as usize].name.clone_from(&decl.name);
                self.bindings[local as usize] = Some(Binding::Scalar(id));
            }
            Value::Core(id) if self.just_made(id, "core") => {
                self.locals[id.0 as usize].name.clone_from(&decl.name);
                self.alias(local, Value::Core(id));
            }
            Value::Scalar(init) => {
                let id = self.new_local(&decl.name, init.ty.clone(), decl.mutable);
                self.note_range(id, &init);
                self.emit(StmtKind::Let { local: id, init: Some(init) });
                self.bindings[local as usize] = Some(Binding::Scalar(id));
            }
            other => self.alias(local, other),
        }
    }

    /// Whether the last statement made this temporary: it may get the name that its value is bound to.
    fn just_made(&self, id: LocalId, name: &str) -> bool {
        let last = self.blocks.last().and_then(|b| b.last()).map(|s| &s.kind);
        let made = matches!(last, Some(StmtKind::Let { local, init: Some(_) }) if *local == id);
        let local = &self.locals[id.0 as usize];
        made && local.name == name && !local.mutable
    }

    /// Assigns the value of `e` to a local.
    pub(super) fn value_into(&mut self, local: LocalId, e: &sk::Expr) {
        match e {
            sk::Expr::If { cond, then, els } => {
                let cond = self.condition(cond);
                let els = els.as_deref();
                self.branches(
                    cond,
                    |this| this.block_into(local, then),
                    |this| {
                        if let Some(els) = els {
                            this.value_into(local, els);
                        }
                    },
                );
            }
            sk::Expr::Block(b) => self.block_into(local, b),
            sk::Expr::Match { value, arms } => self.match_into(local, value, arms),
            _ => {
                let value = self.expr(e);
                if !self.diverged {
                    let value = self.as_scalar(value);
                    self.emit(StmtKind::Assign { local, value });
                }
            }
        }
    }

    pub(super) fn block_into(&mut self, local: LocalId, b: &sk::Block) {
        let value = self.block_value(b);
        if !self.diverged {
            let value = self.as_scalar(value);
            self.emit(StmtKind::Assign { local, value });
        }
    }

    /// Runs both branches from the same state and joins them; of a condition that constants decide, only the branch that is taken, so that functions which
    /// nothing calls are not made.
    pub(super) fn branches(&mut self, cond: Expr, then: impl FnOnce(&mut Self), els: impl FnOnce(&mut Self)) {
        let before = self.states();
        let was_diverged = self.diverged;
        let holds = truth(&cond);
        // The branch that is taken first. If it leaves the function or the loop, the other one says what the rest, which is never reached, works with.
        let (first, second): (Branch<'_, '_>, Branch<'_, '_>) = match holds {
            Some(false) => (Box::new(els), Box::new(then)),
            _ => (Box::new(then), Box::new(els)),
        };

        self.blocks.push(vec![]);
        first(self);
        let first_block = self.blocks.pop().unwrap_or_default();
        if holds.is_some() && (was_diverged || !self.diverged) {
            if first_block.iter().any(|s| matches!(s.kind, StmtKind::Let { .. })) {
                self.emit(StmtKind::Block(first_block));
            } else if let Some(block) = self.blocks.last_mut() {
                block.extend(first_block);
            }
            return;
        }
        let (first_states, first_diverged) = (self.states(), self.diverged);

        self.diverged = was_diverged;
        self.set_states(&before);
        // What the first branch has made is not there in the second.
        self.resources[before.len()..].iter_mut().for_each(|r| r.state = State::Gone);
        self.blocks.push(vec![]);
        second(self);
        let second_block = self.blocks.pop().unwrap_or_default();
        let second_diverged = self.diverged;

        self.diverged = was_diverged;
        match (first_diverged, second_diverged) {
            (false, false) => self.merge(&first_states[..before.len()].to_vec()),
            (false, true) => self.set_states(&first_states),
            _ => {}
        }
        let (then_block, els_block) =
            if holds == Some(false) { (second_block, first_block) } else { (first_block, second_block) };
        self.emit(StmtKind::If { cond, then: then_block, els: els_block });
        self.diverged = was_diverged || (first_diverged && second_diverged);
    }

    pub(super) fn if_value(&mut self, cond: &sk::Expr, then: &sk::Block, els: Option<&sk::Expr>) -> Value {
        let cond = self.condition(cond);
        let at = self.position();
        let mut result = Result::default();
        {
            let slot = std::cell::RefCell::new(&mut result);
            self.branches(
                cond,
                |this| {
                    let value = this.block_value(then);
                    this.branch_result(value, &mut slot.borrow_mut());
                },
                |this| {
                    if let Some(els) = els {
                        let value = this.expr(els);
                        this.branch_result(value, &mut slot.borrow_mut());
                    }
                },
            );
        }
        self.chosen(result, at, "if")
    }

    /// The value that one of several branches gave. It is declared before the branches, at `at`.
    pub(super) fn chosen(&mut self, result: Result, at: usize, what: &str) -> Value {
        if let Some(local) = result.local {
            let stmt = ir::Stmt { line: self.line, kind: StmtKind::Let { local, init: None } };
            if let Some(block) = self.blocks.last_mut() {
                block.insert(at.min(block.len()), stmt);
            }
            return Value::Scalar(self.read(local));
        }
        if self.diverged {
            return Value::Never;
        }
        match result.other {
            None => Value::Unit,
            Some(v) => {
                let one = v.describe();
                self.refuse(
                    format!("a branch of `{what}` gives {one}, which C++ cannot choose"),
                    "use the value inside the branches, or choose between numbers",
                )
            }
        }
    }

    pub(super) fn branch_result(&mut self, value: Value, slot: &mut Result) {
        match value {
            _ if self.diverged => {}
            Value::Unit | Value::Never => {}
            Value::Scalar(_) | Value::Place(_) => {
                let value = self.as_scalar(value);
                if value.ty == Ty::Unit {
                    return;
                }
                let local = match slot.local {
                    Some(local) => local,
                    None => {
                        let local = self.new_local("value", value.ty.clone(), false);
                        slot.local = Some(local);
                        local
                    }
                };
                self.emit(StmtKind::Assign { local, value });
            }
            other => slot.other = Some(other),
        }
    }

    pub(super) fn while_loop(&mut self, cond: &sk::Expr, body: &sk::Block) -> Value {
        self.blocks.push(vec![]);
        let c = self.condition(cond);
        let mut stmts = self.blocks.pop().unwrap_or_default();
        let simple = stmts.is_empty();
        let body = self.loop_body(body);
        if simple {
            self.emit(StmtKind::While { cond: c, body });
        } else {
            // The condition needs statements: they run before each test.
            let line = self.line;
            let not = Expr { ty: Ty::Bool, kind: ExprKind::Not(Box::new(c)) };
            let stop = vec![ir::Stmt { line, kind: StmtKind::Break }];
            stmts.push(ir::Stmt { line, kind: StmtKind::If { cond: not, then: stop, els: vec![] } });
            stmts.extend(body);
            self.emit(StmtKind::Loop { body: stmts });
        }
        Value::Unit
    }

    pub(super) fn endless_loop(&mut self, body: &sk::Block) -> Value {
        self.breaks.push(vec![]);
        let body = self.loop_block(body);
        let breaks = self.breaks.pop().unwrap_or_default();
        self.emit(StmtKind::Loop { body });
        let mut breaks = breaks.into_iter();
        match breaks.next() {
            // The code behind it runs only after a break.
            Some(first) => {
                self.set_states(&first);
                for other in breaks {
                    let n = first.len().min(other.len());
                    self.merge(&other[..n].to_vec());
                }
                Value::Unit
            }
            None => {
                self.diverged = true;
                Value::Never
            }
        }
    }

    /// Body of a loop that may run no times.
    fn loop_body(&mut self, body: &sk::Block) -> ir::Block {
        let before = self.states();
        self.breaks.push(vec![]);
        let block = self.loop_block(body);
        for states in self.breaks.pop().unwrap_or_default() {
            let n = before.len().min(states.len());
            self.merge(&states[..n].to_vec());
        }
        self.merge(&before);
        block
    }

    fn loop_block(&mut self, body: &sk::Block) -> ir::Block {
        let was_diverged = self.diverged;
        self.blocks.push(vec![]);
        self.enter_scope(Kind::Loop);
        let value = self.block_value(body);
        self.discard(value);
        self.leave_scope();
        self.diverged = was_diverged;
        self.blocks.pop().unwrap_or_default()
    }

    pub(super) fn for_loop(&mut self, local: Option<sk::Local>, range: &sk::Range, body: &sk::Block) -> Value {
        let inclusive = range.inclusive;
        let mut bounds = self.operands(&[&range.start, &range.end]);
        let (Some(end), Some(start)) = (bounds.pop(), bounds.pop()) else {
            return Value::Never;
        };
        let ty = self.ty(range.slot);
        if ty.int().is_none() {
            return self.fault(format!("a loop over a range of `{ty}`"));
        }
        // The writer keeps the bounds; a call in them must run once, here.
        let start = if visit::has_call(&start) { self.spill(start) } else { start };
        let end = self.stable(end);
        let (order, step) = match self.adapters(&range.adapters) {
            Some(found) => found,
            None => return Value::Never,
        };
        let name = local.map_or("i", |l| self.def.locals[l as usize].name.as_str()).to_string();
        let mutable = local.is_some_and(|l| self.def.locals[l as usize].mutable);
        let known = (self.interval(&start), self.interval(&end));
        if ty == Ty::Usize && (known.0.is_none() || known.1.is_none()) {
            return self.fault("a loop over a range of more than 32 bits");
        }
        let id = self.new_local(&name, ty.clone(), mutable);
        let unsigned = ty.int().is_some_and(|int| !int.signed);
        if let (true, false, (Some((low, _)), Some((_, high)))) = (unsigned, mutable, known) {
            let last = if !inclusive { high.saturating_sub(1) } else { high };
            self.ranges.insert(id, (low.min(last), last));
        }
        if let Some(l) = local {
            self.bindings[l as usize] = Some(Binding::Scalar(id));
        }
        let line = self.line;
        let body = self.loop_body(body);
        self.line = line;
        self.emit(StmtKind::For(Box::new(ir::For {
            local: id,
            start,
            end,
            inclusive: range.inclusive,
            order,
            step,
            body,
        })));
        Value::Unit
    }

    fn adapters(&mut self, adapters: &[sk::Adapter]) -> Option<(Order, u64)> {
        match adapters {
            [] => Some((Order::Forward, 1)),
            [sk::Adapter::Rev] => Some((Order::RevThenStep, 1)),
            [sk::Adapter::StepBy(n)] => Some((Order::Forward, self.step(n)?)),
            [sk::Adapter::Rev, sk::Adapter::StepBy(n)] => Some((Order::RevThenStep, self.step(n)?)),
            [sk::Adapter::StepBy(n), sk::Adapter::Rev] => Some((Order::StepThenRev, self.step(n)?)),
            _ => {
                self.error(
                    "a range takes at most one `rev()` and one `step_by()` in a kernel",
                    "combine the adapters, or compute the index in the loop",
                );
                None
            }
        }
    }

    fn step(&mut self, e: &sk::Expr) -> Option<u64> {
        // A literal is a `usize`, whatever the type of the range.
        if let sk::Expr::Int { value: value @ 1.., .. } = e {
            return Some(*value);
        }
        match self.scalar(e).kind {
            ExprKind::Int(n) if n > 0 => Some(n as u64),
            ExprKind::Cast(inner) if matches!(inner.kind, ExprKind::Int(n) if n > 0) => match inner.kind {
                ExprKind::Int(n) => Some(n as u64),
                _ => None,
            },
            ExprKind::Int(_) => {
                self.error("`step_by(0)` never ends", "use a step of at least 1");
                None
            }
            _ => {
                self.fault("the step of a range is no constant");
                None
            }
        }
    }

    pub(super) fn break_loop(&mut self) -> Value {
        self.release_until(Kind::Loop);
        self.emit(StmtKind::Break);
        let states = self.states();
        if !self.diverged
            && let Some(breaks) = self.breaks.last_mut()
        {
            breaks.push(states);
        }
        self.diverged = true;
        Value::Never
    }

    pub(super) fn continue_loop(&mut self) -> Value {
        self.release_until(Kind::Loop);
        self.emit(StmtKind::Continue);
        self.diverged = true;
        Value::Never
    }

    pub(super) fn return_value(&mut self, e: Option<&sk::Expr>) -> Value {
        let value = e.map(|e| self.expr(e));
        let value = match value {
            Some(Value::Scalar(e)) => Some(self.fixed_before_release(e, usize::MAX)),
            Some(Value::Place(place)) => Some(place),
            _ => None,
        };
        self.release_until(Kind::Function);
        self.emit(StmtKind::Return(value));
        self.diverged = true;
        Value::Never
    }
}
