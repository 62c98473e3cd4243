//! Barriers that wait for nothing are dropped; a data-movement kernel does not end before its transfers have.
//!
//! What may be under way is followed forwards through the structured code. A barrier goes if on every path nothing that it waits for was
//! begun since the last one: code like `noc.read_page(a).wait(); noc.read_page(b).wait()` keeps both, the guards of one block
//! that are waited for one after the other leave one barrier. At every exit of the kernel the missing barriers are added, because
//! firmware may reuse what transfers still read or write.

use crate::ir::call::{self, Call, Effect as CallEffect, Operand};
use crate::ir::{Block, Dest, Expr, FnId, Module, Op, Role, Stmt, StmtKind, visit};
use std::ops::BitOr;

pub fn run(module: &mut Module) {
    if module.role == Role::Compute || module.fns.is_empty() {
        return;
    }
    let mut effects: Vec<Effect> = Vec::with_capacity(module.fns.len());
    for at in 0..module.fns.len() {
        let is_entry = at + 1 == module.fns.len();
        let body = &module.function(FnId(at as u32)).body;
        // A function does not know what its caller has under way; the kernel starts with nothing.
        let entry = if is_entry { Pending::NONE } else { Pending::ALL };
        let (code, any) = Walk::over(&effects, is_entry, body, entry);
        let (_, none) = Walk::over(&effects, false, body, Pending::NONE);
        effects.push(Effect { begins: none, keeps: any });
        module.fns[at].body = code;
    }
}

/// What may not have ended yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pending {
    reads: bool,
    /// Writes that may still read their source.
    unsent: bool,
    /// Writes that may not have arrived.
    unacknowledged: bool,
    /// Increments of other cores' semaphores.
    atomics: bool,
    /// Posted writes that may still read their source.
    posted: bool,
    /// Transfers have transaction ids: reads, writes.
    ids: (bool, bool),
}

impl Pending {
    const NONE: Pending = Pending {
        reads: false,
        unsent: false,
        unacknowledged: false,
        atomics: false,
        posted: false,
        ids: (false, false),
    };
    const ALL: Pending =
        Pending { reads: true, unsent: true, unacknowledged: true, atomics: true, posted: true, ids: (true, true) };

    /// A call of the kernel API. A barrier for one transaction id leaves open what has others.
    fn call(&mut self, effect: CallEffect) {
        match effect {
            CallEffect::Reads => self.reads = true,
            CallEffect::Writes => (self.unsent, self.unacknowledged) = (true, true),
            CallEffect::Posted => self.posted = true,
            CallEffect::Increments => self.atomics = true,
            CallEffect::ReadId => self.ids.0 = true,
            CallEffect::WriteId => self.ids.1 = true,
            CallEffect::PostedFlush => self.posted = false,
            CallEffect::FullBarrier => *self = Pending { ids: self.ids, ..Pending::NONE },
            CallEffect::Pure | CallEffect::Looks | CallEffect::Acts => {}
        }
    }
}

impl BitOr for Pending {
    type Output = Pending;
    fn bitor(self, other: Pending) -> Pending {
        Pending {
            reads: self.reads | other.reads,
            unsent: self.unsent | other.unsent,
            unacknowledged: self.unacknowledged | other.unacknowledged,
            atomics: self.atomics | other.atomics,
            posted: self.posted | other.posted,
            ids: (self.ids.0 | other.ids.0, self.ids.1 | other.ids.1),
        }
    }
}

/// What a called function leaves under way: what it begins, and of what was under way before, what may still be.
#[derive(Clone, Copy, Debug)]
struct Effect {
    begins: Pending,
    keeps: Pending,
}

impl Effect {
    fn apply(self, before: Pending) -> Pending {
        Pending {
            reads: self.begins.reads | (self.keeps.reads & before.reads),
            unsent: self.begins.unsent | (self.keeps.unsent & before.unsent),
            unacknowledged: self.begins.unacknowledged | (self.keeps.unacknowledged & before.unacknowledged),
            atomics: self.begins.atomics | (self.keeps.atomics & before.atomics),
            posted: self.begins.posted | (self.keeps.posted & before.posted),
            ids: (
                self.begins.ids.0 | (self.keeps.ids.0 & before.ids.0),
                self.begins.ids.1 | (self.keeps.ids.1 & before.ids.1),
            ),
        }
    }
}

fn either(a: Option<Pending>, b: Option<Pending>) -> Option<Pending> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a | b),
        (a, b) => a.or(b),
    }
}

struct Walk<'a> {
    effects: &'a [Effect],
    is_entry: bool,
    /// At `break` and `continue` of the loops around.
    loops: Vec<(Option<Pending>, Option<Pending>)>,
    returns: Option<Pending>,
}

impl<'a> Walk<'a> {
    /// The code without needless barriers (in a kernel, with the final ones), and what may be under way at its end.
    fn over(effects: &'a [Effect], is_entry: bool, body: &[Stmt], entry: Pending) -> (Block, Pending) {
        let mut walk = Walk { effects, is_entry, loops: Vec::new(), returns: None };
        let mut state = Some(entry);
        let mut code = walk.block(body, &mut state);
        if let Some(at) = &mut state {
            let line = body.last().map_or(0, |s| s.line);
            walk.finish(at, line, &mut code);
        }
        let end = either(state, walk.returns).unwrap_or(Pending::NONE);
        (code, end)
    }

    /// In a kernel, the barriers that its end needs.
    fn finish(&self, at: &mut Pending, line: u32, out: &mut Block) {
        if !self.is_entry {
            return;
        }
        let mut wait = |op: Op| {
            let kind = StmtKind::Op(op);
            out.push(Stmt { line, kind });
        };
        if at.reads {
            wait(Op::ReadBarrier);
        }
        if at.unacknowledged {
            wait(Op::WriteBarrier);
        }
        if at.posted {
            let row = &call::POSTED_FLUSH;
            wait(Op::Call(Box::new(Call { row, operands: Vec::new() })));
        }
        if at.atomics {
            wait(Op::AtomicBarrier);
        }
        // The next kernel expects transfers without an id.
        for (set, row) in [(at.ids.0, call::READ_ID), (at.ids.1, call::WRITE_ID)] {
            if set {
                let operands = vec![Operand::Value(Expr::u32(0))];
                wait(Op::Call(Box::new(Call { row, operands })));
            }
        }
        *at = Pending::NONE;
    }

    fn block(&mut self, stmts: &[Stmt], state: &mut Option<Pending>) -> Block {
        let mut out = Block::with_capacity(stmts.len());
        for stmt in stmts {
            let Some(at) = state else {
                out.push(stmt.clone());
                continue;
            };
            if !matches!(stmt.kind, StmtKind::While { .. }) {
                visit::stmt_exprs(stmt, &mut |e| self.calls(e, at));
            }
            let kind = match &stmt.kind {
                StmtKind::Op(op) => {
                    let needless = match op {
                        Op::ReadBarrier => !at.reads,
                        Op::WriteBarrier => !at.unacknowledged,
                        Op::WritesFlushed => !at.unsent,
                        Op::AtomicBarrier => !at.atomics,
                        _ => false,
                    };
                    let mut op = op.clone();
                    // The flag must not be sent before the data that it tells about.
                    if let Op::SemaphoreSend { to: Dest::Many { .. }, flush, .. } = &mut op {
                        *flush = at.unsent;
                    }
                    if let Op::Call(call) = &op {
                        at.call(call.row.effect);
                    }
                    match op {
                        Op::ReadPage { .. } => at.reads = true,
                        Op::SemaphoreInc { .. } => at.atomics = true,
                        Op::AtomicBarrier => at.atomics = false,
                        Op::WritePage { .. } | Op::SendPages { .. } | Op::SemaphoreSend { .. } => {
                            (at.unsent, at.unacknowledged) = (true, true)
                        }
                        Op::ReadBarrier => at.reads = false,
                        Op::WriteBarrier => (at.unsent, at.unacknowledged) = (false, false),
                        Op::WritesFlushed => at.unsent = false,
                        _ => {}
                    }
                    if needless {
                        continue;
                    }
                    StmtKind::Op(op)
                }
                StmtKind::If { cond, then, els } => {
                    let mut other = *state;
                    let then = self.block(then, state);
                    let els = self.block(els, &mut other);
                    *state = either(*state, other);
                    StmtKind::If { cond: cond.clone(), then, els }
                }
                StmtKind::While { cond, body } => {
                    StmtKind::While { cond: cond.clone(), body: self.repeat(body, Some(cond), true, state) }
                }
                StmtKind::Loop { body } => StmtKind::Loop { body: self.repeat(body, None, false, state) },
                StmtKind::For(l) => {
                    let mut l = l.clone();
                    l.body = self.repeat(&l.body, None, true, state);
                    StmtKind::For(l)
                }
                StmtKind::Block(body) => StmtKind::Block(self.block(body, state)),
                StmtKind::Break => {
                    if let Some((breaks, _)) = self.loops.last_mut() {
                        *breaks = either(*breaks, state.take());
                    }
                    stmt.kind.clone()
                }
                StmtKind::Continue => {
                    if let Some((_, continues)) = self.loops.last_mut() {
                        *continues = either(*continues, state.take());
                    }
                    stmt.kind.clone()
                }
                StmtKind::Return(_) => {
                    self.finish(at, stmt.line, &mut out);
                    self.returns = either(self.returns, state.take());
                    stmt.kind.clone()
                }
                StmtKind::Let { .. }
                | StmtKind::Assign { .. }
                | StmtKind::Set { .. }
                | StmtKind::Eval(_)
                | StmtKind::Debug(_) => stmt.kind.clone(),
            };
            let line = stmt.line;
            out.push(Stmt { line, kind });
        }
        out
    }

    fn calls(&self, expr: &Expr, at: &mut Pending) {
        visit::expr_calls(expr, &mut |call| {
            if let Some(effect) = self.effects.get(call.callee.0 as usize) {
                let after = effect.apply(*at);
                *at = if call.conditional { *at | after } else { after };
            }
        });
    }

    fn repeat(&mut self, body: &[Stmt], cond: Option<&Expr>, leaves: bool, state: &mut Option<Pending>) -> Block {
        let Some(mut head) = *state else {
            return body.to_vec();
        };
        loop {
            let returns = self.returns;
            let mut start = head;
            if let Some(cond) = cond {
                self.calls(cond, &mut start);
            }
            let mut end = Some(start);
            self.loops.push((None, None));
            let code = self.block(body, &mut end);
            let (breaks, continues) = self.loops.pop().unwrap_or_default();
            let more = either(end, continues).map_or(head, |e| e | head);
            if more == head {
                *state = if leaves { either(Some(start), breaks) } else { breaks };
                return code;
            }
            self.returns = returns;
            head = more;
        }
    }
}
