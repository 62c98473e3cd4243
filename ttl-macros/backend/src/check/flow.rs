//! Locals that are held after one path and given away on another.
//!
//! The generated C++ has no drop flags: whether a guard is released at the end of its scope must be known there. What is a guard only
//! rustc knows, so this finds every local whose state differs where paths join, and the copy asks rustc whether its type may
//! do that (`ReleasedOnEveryPath`). Locals which can be no guard, since they come from literals or arithmetic, are left out.

use crate::check::scope::Scope;
use crate::model::{Block, Expr, ExprKind, For, Func, If, Pattern, Print, Stmt};
use proc_macro2::Span;
use ttl_skeleton::{Local, UnOp, takes_self};

/// By local: where it is given away (or set) on one path only.
#[derive(Default)]
pub(crate) struct Flow {
    pub(crate) uneven: Vec<(Local, Span)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Not set, or given away.
    Gone,
    Held,
    /// Depends on the path; reported already.
    Either,
}

#[derive(Clone)]
struct Paths {
    states: Vec<State>,
    /// Where the state last changed.
    changed: Vec<Span>,
    /// Control does not get here.
    dead: bool,
}

pub(crate) fn analyse(func: &Func, scope: &Scope) -> Flow {
    let count = scope.locals.len();
    let mut flow = Analysis {
        found: Flow::default(),
        now: Paths { states: vec![State::Gone; count], changed: vec![Span::call_site(); count], dead: false },
        candidate: vec![false; count],
        breaks: Vec::new(),
        declared: Vec::new(),
        outside: Vec::new(),
    };
    for param in &func.params {
        // Parameters of kernels are no guards; those of device functions may be.
        flow.declare(param.binding.local, true, param.binding.name.span());
        flow.set(param.binding.local, State::Held, param.binding.name.span());
    }
    flow.block(&func.body);
    flow.found
}

struct Analysis {
    found: Flow,
    now: Paths,
    /// Locals that may be guards.
    candidate: Vec<bool>,
    /// For each loop around: the paths that left it by `break`, joined.
    breaks: Vec<Option<Paths>>,
    /// Every local declared so far, and for each loop around how many there were before it.
    declared: Vec<Local>,
    outside: Vec<usize>,
}

impl Analysis {
    fn declare(&mut self, local: Local, candidate: bool, span: Span) {
        if let Some(slot) = self.candidate.get_mut(local as usize) {
            *slot = candidate;
        }
        self.declared.push(local);
        self.set(local, State::Gone, span);
    }

    fn set(&mut self, local: Local, state: State, span: Span) {
        let at = local as usize;
        if let Some(slot) = self.now.states.get_mut(at) {
            *slot = state;
        }
        if let Some(slot) = self.now.changed.get_mut(at) {
            *slot = span;
        }
    }

    fn is_candidate(&self, local: Local) -> bool {
        self.candidate.get(local as usize).copied().unwrap_or(false)
    }

    /// Two paths meet.
    fn join(&mut self, a: Paths, b: Paths) -> Paths {
        if a.dead {
            return b;
        }
        if b.dead {
            return a;
        }
        let mut out = a.clone();
        let pairs = a.states.iter().zip(&b.states).enumerate();
        for (local, (x, y)) in pairs {
            if x == y {
                continue;
            }
            let gone = if *x == State::Gone { &a } else { &b };
            let span = gone.changed.get(local).copied();
            if let Some(slot) = out.states.get_mut(local) {
                *slot = State::Either;
            }
            let local = local as Local;
            let known = self.found.uneven.iter().any(|(l, _)| *l == local);
            if *x != State::Either && *y != State::Either && !known && self.is_candidate(local) {
                self.found.uneven.push((local, span.unwrap_or_else(Span::call_site)));
            }
        }
        out
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        if let Some(tail) = &block.tail {
            self.value(tail);
        }
        // Locals of the block have left their scope on every path; equal states keep them out of joins.
        for stmt in &block.stmts {
            if let Stmt::Let { binding, .. } = stmt
                && let Some(slot) = self.now.states.get_mut(binding.local as usize)
            {
                *slot = State::Gone;
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { binding, init, .. } => {
                let candidate = init.as_ref().is_none_or(|e| self.may_be_guard(e));
                if let Some(init) = init {
                    self.value(init);
                }
                self.declare(binding.local, candidate, binding.name.span());
                if init.is_some() {
                    self.set(binding.local, State::Held, binding.name.span());
                }
            }
            Stmt::Destructure { pattern, init, els, .. } => {
                self.value(init);
                if let Some((_, els)) = els {
                    let before = self.now.clone();
                    self.block(els);
                    self.now = before;
                }
                self.pattern(pattern);
            }
            Stmt::Discard { init, .. } => self.place(init),
            Stmt::Expr { expr, .. } => self.value(expr),
        }
    }

    /// Whether the value could be a guard, a transfer or a set of registers.
    fn may_be_guard(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local { local, .. } => self.is_candidate(*local),
            ExprKind::Paren { expr, .. } => self.may_be_guard(expr),
            ExprKind::Block(block) => self.block_may_be_guard(block),
            ExprKind::If(e) => {
                self.block_may_be_guard(&e.then) && e.els.as_ref().is_none_or(|(_, els)| self.may_be_guard(els))
            }
            ExprKind::Call { .. } => true,
            ExprKind::Method { name, .. } => {
                let name = name.to_string();
                let number = ["wrapping_", "noc_", "get_", "l1_", "pages_", "cb_"];
                !number.iter().any(|start| name.starts_with(start))
                    && !matches!(
                        name.as_str(),
                        "min"
                            | "max"
                            | "div_ceil"
                            | "abs"
                            | "core_x"
                            | "core_y"
                            | "page_size"
                            | "to_bits"
                            | "read_u32"
                            | "read_tile_value"
                            | "receivers"
                            | "read"
                            | "get"
                            | "at"
                            | "addr"
                            | "value"
                            | "offset"
                            | "low"
                            | "my_x"
                            | "my_y"
                            | "is_some"
                            | "is_none"
                            | "unwrap_or"
                    )
            }
            _ => false,
        }
    }

    fn block_may_be_guard(&self, block: &Block) -> bool {
        match &block.tail {
            // The locals of the inner block are not declared yet.
            Some(tail) => match &tail.kind {
                ExprKind::Local { .. } => true,
                _ => self.may_be_guard(tail),
            },
            None => false,
        }
    }

    /// An expression whose value is used, which gives a local away.
    fn value(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Local { local, name } => self.set(*local, State::Gone, name.span()),
            ExprKind::Struct { .. }
            | ExprKind::Construct { .. }
            | ExprKind::Tuple { .. }
            | ExprKind::Array { .. }
            | ExprKind::Repeat { .. } => expr.kind.children(&mut |e| self.value(e)),
            ExprKind::Field { base, .. } => self.place(base),
            ExprKind::Index { base, index, .. } => {
                self.place(base);
                self.value(index);
            }
            // What is printed is looked at.
            ExprKind::Print(Print { args, .. }) | ExprKind::Panic(Print { args, .. }) => {
                args.iter().for_each(|e| self.place(e));
                self.now.dead |= matches!(expr.kind, ExprKind::Panic(_));
            }
            ExprKind::PrintTile(parts) => parts.iter().for_each(|e| self.place(e)),
            ExprKind::Assert(a) => {
                self.value(&a.cond);
                a.message.iter().flat_map(|m| &m.args).for_each(|e| self.place(e));
            }
            ExprKind::Match(e) => {
                self.place(&e.value);
                let before = self.now.clone();
                let mut joined: Option<Paths> = None;
                for arm in &e.arms {
                    self.now = before.clone();
                    self.pattern(&arm.pattern);
                    if let Some((_, guard)) = &arm.guard {
                        self.value(guard);
                    }
                    self.block(&arm.body);
                    let here = self.now.clone();
                    joined = Some(match joined.take() {
                        Some(other) => self.join(other, here),
                        None => here,
                    });
                }
                self.now = joined.unwrap_or(before);
            }
            ExprKind::IfLet(e) => {
                self.place(&e.value);
                let before = self.now.clone();
                self.pattern(&e.pattern);
                self.block(&e.then);
                let then = std::mem::replace(&mut self.now, before);
                if let Some((_, els)) = &e.els {
                    self.value(els);
                }
                let els = self.now.clone();
                self.now = self.join(then, els);
            }
            ExprKind::ForEach(e) => {
                self.value(&e.array);
                let exit = self.now.clone();
                self.pattern(&e.pattern);
                self.repeated(&e.body, Some(exit));
            }
            ExprKind::Zone(_)
            | ExprKind::QPath(_)
            | ExprKind::Refused
            | ExprKind::Unit(_)
            | ExprKind::Bool(_)
            | ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Path(_)
            | ExprKind::Const { .. } => {}
            ExprKind::Unary { op: UnOp::Deref, expr, .. } => self.place(expr),
            ExprKind::Unary { expr, .. }
            | ExprKind::Cast { expr, .. }
            | ExprKind::Paren { expr, .. }
            | ExprKind::Placed { expr, .. }
            | ExprKind::FromBits { arg: expr, .. } => self.value(expr),
            ExprKind::Ref { place, .. } => self.place(place),
            ExprKind::Binary { op, left, right, .. } => {
                use ttl_skeleton::BinOp as O;
                match op {
                    O::And | O::Or => {
                        self.value(left);
                        let before = self.now.clone();
                        self.value(right);
                        let after = std::mem::replace(&mut self.now, before.clone());
                        self.now = self.join(before, after);
                    }
                    O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge => {
                        self.place(left);
                        self.place(right);
                    }
                    _ => {
                        self.value(left);
                        self.value(right);
                    }
                }
            }
            ExprKind::Assign { place, value, .. } => {
                self.value(value);
                match &place.kind {
                    ExprKind::Local { local, name } => {
                        self.set(*local, State::Held, name.span());
                    }
                    _ => self.place(place),
                }
            }
            ExprKind::AssignOp { place, value, .. } => {
                self.value(value);
                self.place(place);
            }
            ExprKind::Call { args, .. } | ExprKind::CallClosure { args, .. } => {
                for arg in args {
                    self.value(arg);
                }
            }
            // Guards cannot be used in it.
            ExprKind::Closure(_) => {}
            ExprKind::Method { recv, name, args, .. } => {
                let takes = takes_self(&name.to_string());
                // The receiver is evaluated first, and given away when the call happens.
                if !matches!(recv.kind, ExprKind::Local { .. }) {
                    self.value(recv);
                }
                for arg in args {
                    self.value(arg);
                }
                if let ExprKind::Local { local, .. } = &recv.kind
                    && takes
                {
                    self.set(*local, State::Gone, name.span());
                }
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::If(e) => self.if_(e),
            ExprKind::While { cond, body, .. } => {
                self.value(cond);
                let exit = self.now.clone();
                self.repeated(body, Some(exit));
            }
            ExprKind::Loop { body, .. } => self.repeated(body, None),
            ExprKind::For(e) => self.for_(e),
            ExprKind::Break(_) => {
                let mut here = self.now.clone();
                // What was declared inside the loop is dropped on the way out.
                let outside = self.outside.last().copied().unwrap_or_default();
                for local in self.declared.get(outside..).unwrap_or_default() {
                    if let Some(slot) = here.states.get_mut(*local as usize) {
                        *slot = State::Gone;
                    }
                }
                if let Some(slot) = self.breaks.pop() {
                    let joined = match slot {
                        Some(other) => self.join(other, here),
                        None => here,
                    };
                    self.breaks.push(Some(joined));
                }
                self.now.dead = true;
            }
            ExprKind::Continue(_) => self.now.dead = true,
            ExprKind::Return { value, .. } => {
                if let Some(value) = value {
                    self.value(value);
                }
                self.now.dead = true;
            }
        }
    }

    /// An expression that is looked at, not taken.
    fn place(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Local { .. } => {}
            ExprKind::Paren { expr, .. } => self.place(expr),
            _ => self.value(expr),
        }
    }

    /// The names of a pattern hold plain data.
    fn pattern(&mut self, pattern: &Pattern) {
        pattern.pat.bindings(&mut |b| self.declare(b.local, false, b.name.span()));
    }

    fn if_(&mut self, e: &If) {
        self.value(&e.cond);
        let before = self.now.clone();
        self.block(&e.then);
        let then = std::mem::replace(&mut self.now, before);
        if let Some((_, els)) = &e.els {
            self.value(els);
        }
        let els = self.now.clone();
        self.now = self.join(then, els);
    }

    fn for_(&mut self, e: &For) {
        self.value(&e.range.start);
        self.value(&e.range.end);
        let exit = self.now.clone();
        self.declare(e.binding.local, false, e.binding.name.span());
        self.repeated(&e.body, Some(exit));
    }

    /// A loop. `exit` is the path that leaves it by its condition; a path round the loop that gives something away is an error of Rust.
    fn repeated(&mut self, body: &Block, exit: Option<Paths>) {
        self.breaks.push(None);
        self.outside.push(self.declared.len());
        self.block(body);
        self.outside.pop();
        let broken = self.breaks.pop().flatten();
        self.now = match (exit, broken) {
            (Some(exit), Some(broken)) => self.join(broken, exit),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => {
                let mut never = self.now.clone();
                never.dead = true;
                never
            }
        };
    }
}
