//! Proves that every operation has its set-up in force on every path: a plain forward analysis of the finished code, which shares with
//! the placement only the table of needs.

use super::state::{FIELDS, Formats, MATRIX, NAMES, PACK, SRCA, SRCB, State, Summary, UNDO, meet, uniform_formats};
use super::{repack, undo};
use crate::ir::passes::buffers::Buffers;
use crate::ir::visit::CallSite;
use crate::ir::{Expr, Init, LocalId, Module, Op, Role, Stmt, StmtKind, visit};
use crate::site::Site;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{site}: {message}")]
pub struct CheckError {
    pub site: Site,
    pub message: String,
}

pub fn check(module: &Module, buffers: &Buffers) -> Result<(), CheckError> {
    if module.role != Role::Compute || module.fns.is_empty() {
        return Ok(());
    }
    let start = match module.entry().body.first().map(|s| &s.kind) {
        Some(StmtKind::Op(Op::Init(start @ Init::Startup { .. }))) => Some(start),
        _ => None,
    };
    let uniform = uniform_formats(module, buffers, start);
    let mut summaries: Vec<Summary> = Vec::new();
    for (at, f) in module.fns.iter().enumerate() {
        let is_entry = at + 1 == module.fns.len();
        let mut checker = Checker {
            cx: Formats::new(module, buffers, at as u32),
            file: f.file,
            uniform: &uniform,
            summaries: &summaries,
            loops: Vec::new(),
            returns: None,
            touched: [false; FIELDS],
            started: !is_entry,
            error: None,
        };
        let starts_free = undo::starts_free(&f.body, &summaries);
        let sets_format = repack::sets(starts_free, checker.cx.packs(&summaries), &uniform);
        let entry = if is_entry { State::default() } else { undo::at_entry(uniform.clone(), starts_free, sets_format) };
        let end = meet(checker.block(&f.body, Some(entry)), checker.returns.take());
        if let (true, Some(end)) = (is_entry, &end)
            && checker.started
            && undo::is_open(&checker.cx, end)
        {
            checker.fail(f.line, format!("{} is {:?} at the end of the kernel", NAMES[UNDO], end.0[UNDO]));
        }
        if let Some(error) = checker.error {
            return Err(error);
        }
        summaries.push(Summary::new(checker.touched, end, starts_free));
    }
    Ok(())
}

struct Checker<'a> {
    cx: Formats<'a>,
    file: &'static str,
    uniform: &'a State,
    summaries: &'a [Summary],
    /// States at `break` and `continue`.
    loops: Vec<[Option<State>; 2]>,
    returns: Option<State>,
    touched: [bool; FIELDS],
    started: bool,
    error: Option<CheckError>,
}

impl Checker<'_> {
    fn fail(&mut self, line: u32, message: String) {
        let site = Site { file: self.file, line, column: 0 };
        self.error.get_or_insert(CheckError { site, message });
    }

    fn block(&mut self, stmts: &[Stmt], mut state: Option<State>) -> Option<State> {
        for (index, stmt) in stmts.iter().enumerate() {
            let mut at = state?;
            if !matches!(stmt.kind, StmtKind::While { .. }) {
                visit::stmt_calls(stmt, &mut |call| self.call(stmt.line, call, &mut at));
            }
            state = self.stmt(stmt, &stmts[index + 1..], at);
        }
        state
    }

    fn stmt(&mut self, stmt: &Stmt, rest: &[Stmt], mut at: State) -> Option<State> {
        match &stmt.kind {
            StmtKind::Op(Op::Init(init)) => {
                let startup = matches!(init, Init::Startup { .. });
                if startup == self.started {
                    let wrong = if startup { "start-up twice" } else { "set-up before start-up" };
                    self.fail(stmt.line, wrong.to_owned());
                }
                self.started = true;
                if matches!(init, Init::PackReconfig { .. }) && undo::is_open(&self.cx, &at) {
                    self.fail(stmt.line, format!("{} is {:?} where the packer gets a format", NAMES[UNDO], at.0[UNDO]));
                }
                at.init(&self.cx, init);
                let before = State::default();
                let mut after = State::default();
                after.init(&self.cx, init);
                for (touched, (b, a)) in self.touched.iter_mut().zip(before.0.iter().zip(&after.0)) {
                    *touched |= a != b;
                }
            }
            StmtKind::Op(op) => {
                let needs = match op {
                    Op::Acquire => self.cx.section_needs(rest, self.summaries),
                    op => self.cx.needs(op),
                };
                for (field, need) in needs.into_iter().enumerate() {
                    let Some(need) = need else { continue };
                    self.touched[field] = true;
                    if at.0[field].as_ref() != Some(&need.value) {
                        let message =
                            format!("{} of {op:?} is {:?}, must be {:?}", NAMES[field], at.0[field], need.value);
                        self.fail(stmt.line, message);
                    }
                }
                at.after(op);
                self.touched[MATRIX] |= matches!(op, Op::Tile(t) if t.clobbers());
            }
            StmtKind::Let { local, .. } | StmtKind::Assign { local, .. } => at.forget(*local),
            StmtKind::Set { place, .. } => place.root().into_iter().for_each(|local| at.forget(local)),
            StmtKind::Eval(_) | StmtKind::Debug(_) => {}
            StmtKind::If { then, els, .. } => {
                let other = at.clone();
                let then = self.block(then, Some(at));
                let els = self.block(els, Some(other));
                return meet(then, els);
            }
            StmtKind::While { cond, body } => {
                return self.repeat(stmt.line, body, Some(cond), None, true, at);
            }
            StmtKind::Loop { body } => {
                return self.repeat(stmt.line, body, None, None, false, at);
            }
            StmtKind::For(l) => {
                return self.repeat(stmt.line, &l.body, None, Some(l.local), true, at);
            }
            StmtKind::Block(body) => return self.block(body, Some(at)),
            StmtKind::Break | StmtKind::Continue => {
                let kind = usize::from(stmt.kind == StmtKind::Continue);
                if let Some(exits) = self.loops.last_mut() {
                    exits[kind] = meet(exits[kind].take(), Some(at));
                }
                return None;
            }
            StmtKind::Return(_) => {
                self.returns = meet(self.returns.take(), Some(at));
                return None;
            }
        }
        Some(at)
    }

    fn call(&mut self, line: u32, call: CallSite<'_>, state: &mut State) {
        let Some(summary) = self.summaries.get(call.callee.0 as usize) else {
            return;
        };
        for field in [SRCA, SRCB, PACK] {
            let assumed = &self.uniform.0[field];
            if summary.touched[field] && assumed.is_some() && state.0[field] != *assumed {
                let message = format!("{} at a call is not the one of the whole kernel", NAMES[field]);
                let site = Site { file: self.file, line, column: 0 };
                self.error.get_or_insert(CheckError { site, message });
            }
        }
        let bare =
            summary.starts_free == Some(true) && summary.touched[UNDO] || repack::sets_format(summary, self.uniform);
        if bare && undo::is_open(&self.cx, state) {
            let message = format!("{} at a call is {:?}", NAMES[UNDO], state.0[UNDO]);
            let site = Site { file: self.file, line, column: 0 };
            self.error.get_or_insert(CheckError { site, message });
        }
        summary.apply(state, call.conditional);
        for (mine, theirs) in self.touched.iter_mut().zip(summary.touched) {
            *mine |= theirs;
        }
    }

    fn repeat(
        &mut self,
        line: u32,
        body: &[Stmt],
        cond: Option<&Expr>,
        variable: Option<LocalId>,
        leaves: bool,
        before: State,
    ) -> Option<State> {
        // Start from what holds before the loop and weaken it until it holds at the end of a round too; errors count only then.
        let mut head = before;
        loop {
            let (error, returns) = (self.error.clone(), self.returns.clone());
            let mut start = head.clone();
            if let Some(variable) = variable {
                start.forget(variable);
            }
            if let Some(cond) = cond {
                visit::expr_calls(cond, &mut |call| self.call(line, call, &mut start));
            }
            self.loops.push([None, None]);
            let end = self.block(body, Some(start.clone()));
            let [breaks, continues] = self.loops.pop().unwrap_or_default();
            let weaker = meet(meet(Some(head.clone()), end), continues).unwrap_or_default();
            if weaker == head {
                return if leaves { meet(Some(start), breaks) } else { breaks };
            }
            (self.error, self.returns) = (error, returns);
            head = weaker;
        }
    }
}
