//! What passes and the C++ writer may rely on. [`verify`] checks a lowered module and gives [`Verified`], which they require.
//!
//! 1. The module has its kernel last; every call goes to a function that stands before its caller (so there is no recursion), with as
//!    many arguments as it has parameters, of equal types.
//! 2. The kernel's parameters are locals of the kernel function, each once, and their kinds fit their types.
//! 3. Locals exist, are declared once (parameters, `let`, loop variables) and only used where a declaration encloses them. A `let` without
//!    a value is assigned before it is read.
//! 4. Expressions have the type they say: operands of one operation agree, conditions are `bool`, casts are between scalars, f32 has no
//!    `%`, bit operations or shifts. Integer literals fit their type. A literal shift amount is below the width.
//!    Structs and arrays have a value for each field or element, fields and variants exist, what is assigned to is a place.
//! 5. Operations fit the role: data movement in readers and writers, tile operations in compute kernels.
//!    What is sent to other cores names a core or a rectangle of cores, signals name a semaphore.
//! 6. Circular buffers are used from their own end: reserve, push, fill and pack through `CbOut`, wait, pop and read through `CbIn`
//!    (or the guard a device function was given). Page counts are u32.
//! 7. On every path at most one block of a buffer end is live: reserve before push, wait before pop, each before use, and nothing
//!    is live where the function ends. Loops leave it as they found it.
//! 8. Tile registers follow acquire, operations, commit, packs, release on every path. A literal register is below 16.
//! 9. `break` and `continue` stand in loops; `return` has a value of the function's type, and a function with a result does not end
//!    without one. A loop's step is at least 1, its variable an integer of the type of its bounds.
//! 10. Where C++ leaves the order of evaluation open (operands, arguments), at most one operand calls a function with effects, and then no
//!     other looks at what such a call may change.
//! 11. No set-up operation is there: [`passes`](super::passes) place them. A store has a leaf description for every leaf.

mod data;
mod ops;
mod protocol;
mod types;

use super::{Block, Expr, ExprKind, Fn, FnId, LocalId, Module, ParamKind, Role, Stmt, StmtKind, Ty, visit};
use crate::site::Site;
use crate::snippet::{self, Label};
use std::collections::BTreeSet;
use std::fmt;

/// A module that keeps the invariants of [the module docs](self).
#[derive(Clone, Copy, Debug)]
pub struct Verified<'a>(&'a Module);

impl<'a> Verified<'a> {
    pub const fn module(self) -> &'a Module {
        self.0
    }
}

/// One broken invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    pub site: Site,
    pub function: String,
    pub message: String,
    /// What to do about it, where a kernel can come here that rustc and lowering accept; else it is a fault of ttl.
    pub help: Option<&'static str>,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = Label { site: self.site, text: format!("in `{}`", self.function) };
        let note = match self.help {
            Some(help) => format!("help: {help}"),
            None => {
                "note: rustc accepted this and the IR does not: this is a fault of ttl; please report it".to_owned()
            }
        };
        snippet::render(f, &self.message, &[label], &[note])
    }
}

impl std::error::Error for VerifyError {}

/// Checks a lowered module. All broken invariants that could be found, in program order.
pub fn verify(module: &Module) -> Result<Verified<'_>, Vec<VerifyError>> {
    if module.fns.is_empty() {
        return Err(vec![VerifyError {
            site: Site::UNKNOWN,
            function: module.name.clone(),
            message: "the module has no kernel".to_owned(),
            help: None,
        }]);
    }
    let mut errors = Vec::new();
    let effects = types::effects(module);
    for at in 0..module.fns.len() {
        let mut checker = Checker {
            module,
            id: FnId(at as u32),
            f: &module.fns[at],
            line: module.fns[at].line,
            effects: &effects,
            errors: &mut errors,
        };
        checker.function();
    }
    if errors.is_empty() { Ok(Verified(module)) } else { Err(errors) }
}

struct Checker<'a, 'e> {
    module: &'a Module,
    id: FnId,
    f: &'a Fn,
    line: u32,
    /// Functions whose calls do something.
    effects: &'e [bool],
    errors: &'e mut Vec<VerifyError>,
}

impl<'a> Checker<'a, '_> {
    /// What lowering never makes. Behind a mistake that is reported it follows from that.
    fn fail(&mut self, message: impl Into<String>) {
        if self.errors.iter().all(|e| e.help.is_none()) {
            self.push(message.into(), None);
        }
    }

    /// What a kernel can do that rustc and lowering accept.
    fn mistake(&mut self, message: impl Into<String>, help: &'static str) {
        self.push(message.into(), Some(help));
    }

    fn push(&mut self, message: String, help: Option<&'static str>) {
        let site = Site { file: self.f.file, line: self.line, column: 0 };
        self.errors.push(VerifyError { site, function: self.f.name.clone(), message, help });
    }

    fn function(&mut self) {
        let before = self.errors.len();
        self.ids();
        self.params();
        if self.errors.len() > before {
            return; // what follows looks locals and functions up
        }
        let mut scope: BTreeSet<LocalId> = self.f.params.iter().copied().collect();
        let mut declared = scope.clone();
        let f = self.f;
        self.scopes(&f.body, &mut scope, &mut declared, 0);
        self.types();
        self.assignments();
        self.protocol();
        if !matches!(self.f.ret, Ty::Unit | Ty::Never) && falls_through(&self.f.body) {
            self.line = self.f.line;
            self.fail(format!("it may end without its {} result", self.f.ret));
        }
    }

    /// Every id that occurs is one.
    fn ids(&mut self) {
        let locals = self.f.locals.len() as u32;
        let mut wrong = BTreeSet::new();
        let mut callees = Vec::new();
        let mut note = |l: LocalId| {
            if l.0 >= locals {
                wrong.insert(l.0);
            }
        };
        self.f.params.iter().for_each(|l| note(*l));
        let mut used = visit::written_locals(&self.f.body);
        used.extend(visit::read_locals(&self.f.body));
        used.into_iter().for_each(&mut note);
        visit::each_stmt(&self.f.body, &mut |stmt| {
            visit::stmt_calls(stmt, &mut |call| callees.push((stmt.line, call.callee.0)));
        });
        for local in wrong {
            self.fail(format!("local {local} does not exist ({locals} do)"));
        }
        for (line, callee) in callees {
            if callee >= self.id.0 {
                self.line = line;
                self.fail(format!("call of function {callee}, which does not stand before its caller"));
            }
        }
    }

    fn params(&mut self) {
        let mut seen = BTreeSet::new();
        for param in &self.f.params {
            if !seen.insert(*param) {
                self.fail(format!("local {} is two parameters", param.0));
            }
        }
        if self.id.0 as usize + 1 != self.module.fns.len() {
            return;
        }
        let mut bound = BTreeSet::new();
        for param in &self.module.params {
            let known = self.f.params.contains(&param.local);
            if !known || !bound.insert(param.local) {
                self.fail(format!("kernel parameter `{}` is not one parameter of the function", param.name));
                continue;
            }
            if self.f.local(param.local).ty != param.ty {
                self.fail(format!("kernel parameter `{}` has another type than its local", param.name));
            }
            let fits = match param.kind {
                ParamKind::Cb => matches!(param.ty, Ty::CbIn(_) | Ty::CbOut(_)),
                ParamKind::Tensor => matches!(param.ty, Ty::TensorAccessor(_)),
                ParamKind::Semaphore => param.ty == Ty::Semaphore,
                ParamKind::PerCore => {
                    param.ty.words().is_some() || matches!(param.ty, Ty::Core | Ty::CoreRange | Ty::Words)
                }
                ParamKind::Common => {
                    param.ty.words().is_some() || matches!(param.ty, Ty::Core | Ty::CoreRange | Ty::CommonWords)
                }
                ParamKind::CompileTime => param.ty.words().is_some(),
            };
            if !fits {
                self.fail(format!(
                    "kernel parameter `{}` of type {} cannot be a {:?} argument",
                    param.name, param.ty, param.kind
                ));
            }
        }
        for local in &self.f.params {
            let ty = &self.f.local(*local).ty;
            if !bound.contains(local) && !matches!(ty, Ty::Noc | Ty::Compute) {
                let name = self.f.local(*local).name.clone();
                self.fail(format!("parameter `{name}` has no argument"));
            }
        }
    }

    /// Declarations enclose uses; `break` and `continue` are inside loops.
    fn scopes(&mut self, block: &[Stmt], scope: &mut BTreeSet<LocalId>, declared: &mut BTreeSet<LocalId>, loops: u32) {
        let outer = scope.clone();
        for stmt in block {
            self.line = stmt.line;
            let mut used = BTreeSet::new();
            visit::stmt_exprs(stmt, &mut |e| visit::expr_locals(e, &mut used));
            match &stmt.kind {
                StmtKind::Op(op) => visit::op_locals(op, &mut |l| {
                    used.insert(l);
                }),
                StmtKind::Assign { local, .. } => {
                    used.insert(*local);
                }
                StmtKind::Break | StmtKind::Continue if loops == 0 => {
                    self.fail("`break` or `continue` outside of a loop");
                }
                _ => {}
            }
            for local in used.difference(scope).copied().collect::<Vec<_>>() {
                let name = self.f.local(local).name.clone();
                self.fail(format!("`{name}` is used where it is not declared"));
            }
            let new = match &stmt.kind {
                StmtKind::Let { local, .. } => Some(*local),
                StmtKind::For(l) => Some(l.local),
                _ => None,
            };
            if let Some(local) = new
                && !declared.insert(local)
            {
                let name = self.f.local(local).name.clone();
                self.fail(format!("`{name}` is declared twice"));
            }
            let inner_loops = loops + u32::from(is_loop(&stmt.kind));
            for inner in visit::blocks_of(stmt) {
                let mut inside = scope.clone();
                inside.extend(new);
                self.scopes(inner, &mut inside, declared, inner_loops);
            }
            if let StmtKind::Let { local, .. } = stmt.kind {
                scope.insert(local);
            }
        }
        *scope = outer;
    }

    /// A `let` without a value is assigned on every path before it is read.
    fn assignments(&mut self) {
        let mut open = BTreeSet::new();
        visit::each_stmt(&self.f.body, &mut |stmt| {
            if let StmtKind::Let { local, init: None } = stmt.kind {
                open.insert(local);
            }
        });
        if open.is_empty() {
            return;
        }
        let f = self.f;
        self.assigned_in(&f.body, &mut Some(BTreeSet::new()), &open, &mut Vec::new());
    }

    /// `done`: what is assigned here, `None` where nothing gets to.
    fn assigned_in(
        &mut self,
        block: &Block,
        done: &mut Option<BTreeSet<LocalId>>,
        open: &BTreeSet<LocalId>,
        breaks: &mut Vec<Option<BTreeSet<LocalId>>>,
    ) {
        for stmt in block {
            let Some(now) = done else { return };
            self.line = stmt.line;
            let mut used = BTreeSet::new();
            visit::stmt_exprs(stmt, &mut |e| visit::expr_locals(e, &mut used));
            for local in used {
                if open.contains(&local) && !now.contains(&local) {
                    let name = self.f.local(local).name.clone();
                    self.fail(format!("`{name}` may be read before it is assigned"));
                }
            }
            match &stmt.kind {
                StmtKind::Assign { local, .. } => {
                    now.insert(*local);
                }
                StmtKind::If { then, els, .. } => {
                    let mut other = done.clone();
                    self.assigned_in(then, done, open, breaks);
                    self.assigned_in(els, &mut other, open, breaks);
                    *done = both(done.take(), other);
                }
                StmtKind::While { body, .. } | StmtKind::Loop { body } => {
                    let endless = matches!(stmt.kind, StmtKind::Loop { .. });
                    let before = done.clone();
                    breaks.push(None);
                    self.assigned_in(body, done, open, breaks);
                    let broken = breaks.pop().flatten();
                    *done = if endless { broken } else { both(before, broken) };
                }
                StmtKind::For(l) => {
                    let before = done.clone();
                    breaks.push(None);
                    self.assigned_in(&l.body, done, open, breaks);
                    let broken = breaks.pop().flatten();
                    *done = both(before, broken);
                }
                StmtKind::Block(body) => self.assigned_in(body, done, open, breaks),
                StmtKind::Break => {
                    let left = done.take();
                    if let Some(broken) = breaks.last_mut() {
                        *broken = both(broken.take(), left);
                    }
                }
                StmtKind::Continue | StmtKind::Return(_) => *done = None,
                StmtKind::Let { .. }
                | StmtKind::Set { .. }
                | StmtKind::Eval(_)
                | StmtKind::Debug(_)
                | StmtKind::Op(_) => {}
            }
        }
    }
}

/// What is assigned on both of two paths; `None` is a path that does not get here.
fn both(a: Option<BTreeSet<LocalId>>, b: Option<BTreeSet<LocalId>>) -> Option<BTreeSet<LocalId>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.intersection(&b).copied().collect()),
        (a, b) => a.or(b),
    }
}

const fn is_loop(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::While { .. } | StmtKind::Loop { .. } | StmtKind::For(_))
}

/// Whether control can reach the end of a block.
fn falls_through(block: &[Stmt]) -> bool {
    !block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::If { then, els, .. } => !falls_through(then) && !falls_through(els),
        StmtKind::Block(body) => !falls_through(body),
        StmtKind::Loop { body } => !breaks(body),
        StmtKind::Eval(e) => matches!(e, Expr { ty: Ty::Never, kind: ExprKind::Call(..) }),
        _ => false,
    })
}

/// Whether a `break` of the loop itself is in its body.
fn breaks(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::If { then, els, .. } => breaks(then) || breaks(els),
        StmtKind::Block(body) => breaks(body),
        _ => false,
    })
}

/// What a role's kernel may do.
const fn data_movement(role: Role) -> bool {
    matches!(role, Role::Reader | Role::Writer)
}
