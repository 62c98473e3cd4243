//! Puts set-up calls in front of the operations, or of the loops, that need them, and what undoes one behind the sections that needed it (`undo`).

use super::repack;
use super::startup::startup;
use super::state::{
    By, FIELDS, Formats, L1_ACC, MATRIX, Need, Needs, PACK, SFPU, SRCA, SRCB, State, Summary, UNDO, Value, meet,
    scalars, uniform_formats,
};
use super::undo::{self, starts_free};
use crate::ir::passes::PassError;
use crate::ir::passes::buffers::Buffers;
use crate::ir::visit::CallSite;
use crate::ir::{Block, Expr, Init, LocalId, Module, Op, Role, Stmt, StmtKind, visit};
use std::collections::BTreeSet;

/// Places all set-up calls of a compute kernel; other kernels have none.
pub fn place(module: &mut Module, buffers: &Buffers) -> Result<(), PassError> {
    if module.role != Role::Compute || module.fns.is_empty() {
        return Ok(());
    }
    let start = startup(module);
    let uniform = uniform_formats(module, buffers, start.as_ref());
    let mut summaries: Vec<Summary> = Vec::with_capacity(module.fns.len());
    for at in 0..module.fns.len() {
        let is_entry = at + 1 == module.fns.len();
        let cx = Formats::new(module, buffers, at as u32);
        let starts_free = starts_free(&module.fns[at].body, &summaries);
        let sets_format = repack::sets(starts_free, cx.packs(&summaries), &uniform);
        let mut entry = undo::at_entry(uniform.clone(), starts_free, sets_format);
        if let (true, Some(start)) = (is_entry, &start) {
            entry.init(&cx, start);
        }
        let mut placer = Placer {
            cx,
            summaries: &summaries,
            loops: Vec::new(),
            returns: Vec::new(),
            touched: [false; FIELDS],
            is_entry,
            free: starts_free != Some(false),
            carries: Vec::new(),
            uniform: &uniform,
            mask: None,
            error: None,
            file: module.fns[at].file,
            line: module.fns[at].line,
        };
        let mut state = Some(entry);
        let mut body = placer.block(&module.fns[at].body, false, &mut state);
        if let (true, Some(end)) = (is_entry, &mut state) {
            placer.end(end, &mut body);
        }
        if let Some(error) = placer.error {
            return Err(error);
        }
        let exit = placer.returns.into_iter().map(Some).fold(state, meet);
        summaries.push(Summary::new(placer.touched, exit, starts_free));
        if let (true, Some(start)) = (is_entry, &start) {
            let line = body.first().map_or(module.fns[at].line, |s| s.line);
            let kind = StmtKind::Op(Op::Init(start.clone()));
            body.insert(0, Stmt { line, kind });
        }
        module.fns[at].body = body;
    }
    Ok(())
}

pub(super) struct Placer<'a> {
    pub(super) cx: Formats<'a>,
    pub(super) summaries: &'a [Summary],
    /// States at `break` and `continue` of the loops around.
    loops: Vec<(Option<State>, Option<State>)>,
    returns: Vec<State>,
    pub(super) touched: [bool; FIELDS],
    is_entry: bool,
    /// No section of tile registers is open.
    pub(super) free: bool,
    /// Of the loops around: whether each round leaves to the next what has to be undone.
    pub(super) carries: Vec<bool>,
    pub(super) uniform: &'a State,
    /// The set-up of the last reduction.
    pub(super) mask: Option<Init>,
    pub(super) error: Option<PassError>,
    pub(super) file: &'static str,
    pub(super) line: u32,
}

impl Placer<'_> {
    /// `reduces`: what comes after the block, if nothing else, may stay without being undone.
    fn block(&mut self, stmts: &[Stmt], reduces: bool, state: &mut Option<State>) -> Block {
        let mut out = Block::with_capacity(stmts.len());
        for (index, stmt) in stmts.iter().enumerate() {
            let rest = &stmts[index + 1..];
            self.line = stmt.line;
            let Some(at) = state else {
                out.push(stmt.clone());
                continue;
            };
            if !matches!(stmt.kind, StmtKind::While { .. }) {
                self.calls(stmt, at);
            }
            if self.free && matches!(stmt.kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_)) {
                self.undo_unless(self.keeps(&stmts[index..], reduces), at, &mut out);
            }
            let kind = match &stmt.kind {
                StmtKind::Op(op) => {
                    let needs = match op {
                        Op::Acquire => self.cx.section_needs(rest, self.summaries),
                        op => self.cx.needs(op),
                    };
                    self.provide(needs, at, &mut out);
                    at.after(op);
                    self.touched[MATRIX] |= clobbers(op);
                    match op {
                        Op::Acquire => self.free = false,
                        Op::Release => self.free = true,
                        _ => {}
                    }
                    stmt.kind.clone()
                }
                StmtKind::Let { local, .. } | StmtKind::Assign { local, .. } => {
                    at.forget(*local);
                    stmt.kind.clone()
                }
                StmtKind::Debug(_) => stmt.kind.clone(),
                StmtKind::Set { place, .. } => {
                    place.root().into_iter().for_each(|local| at.forget(local));
                    stmt.kind.clone()
                }
                StmtKind::If { cond, then, els } => {
                    let mut other = state.clone();
                    let (free, inner) = (self.free, self.keeps(rest, reduces));
                    let then = self.block(then, inner, state);
                    let free = std::mem::replace(&mut self.free, free);
                    let els = self.block(els, inner, &mut other);
                    if other.is_none() {
                        self.free = free;
                    }
                    *state = meet(state.take(), other);
                    StmtKind::If { cond: cond.clone(), then, els }
                }
                StmtKind::While { cond, body } => {
                    let repeated = Repeated { body, cond: Some(cond), variable: None, leaves: true };
                    let reduces = self.keeps(rest, reduces);
                    StmtKind::While { cond: cond.clone(), body: self.repeat(&repeated, reduces, state, &mut out) }
                }
                StmtKind::Loop { body } => {
                    let repeated = Repeated { body, cond: None, variable: None, leaves: false };
                    let reduces = self.keeps(rest, reduces);
                    StmtKind::Loop { body: self.repeat(&repeated, reduces, state, &mut out) }
                }
                StmtKind::For(l) => {
                    let mut l = l.clone();
                    let repeated = Repeated { body: &l.body, cond: None, variable: Some(l.local), leaves: true };
                    let reduces = self.keeps(rest, reduces);
                    l.body = self.repeat(&repeated, reduces, state, &mut out);
                    StmtKind::For(l)
                }
                StmtKind::Block(body) => {
                    let inner = self.keeps(rest, reduces);
                    StmtKind::Block(self.block(body, inner, state))
                }
                StmtKind::Break => {
                    let left = state.take();
                    if let Some((breaks, _)) = self.loops.last_mut() {
                        *breaks = meet(breaks.take(), left);
                    }
                    stmt.kind.clone()
                }
                StmtKind::Continue => {
                    let left = state.take();
                    if let Some((_, continues)) = self.loops.last_mut() {
                        *continues = meet(continues.take(), left);
                    }
                    stmt.kind.clone()
                }
                StmtKind::Return(_) => {
                    if let (true, Some(at)) = (self.is_entry, &mut *state) {
                        self.end(at, &mut out);
                    }
                    self.returns.extend(state.take());
                    stmt.kind.clone()
                }
                StmtKind::Eval(_) => stmt.kind.clone(),
            };
            let line = stmt.line;
            out.push(Stmt { line, kind });
            if let (true, Some(at)) = (self.free, &mut *state)
                && undo::is_open(&self.cx, at)
            {
                self.undo_unless(self.keeps(rest, reduces), at, &mut out);
            }
        }
        out
    }

    fn calls(&mut self, stmt: &Stmt, state: &mut State) {
        visit::stmt_calls(stmt, &mut |call| self.call(call, state));
    }

    fn call(&mut self, call: CallSite<'_>, state: &mut State) {
        self.may_set_format(&call, state);
        if let Some(summary) = self.summaries.get(call.callee.0 as usize) {
            summary.apply(state, call.conditional);
            for (mine, theirs) in self.touched.iter_mut().zip(summary.touched) {
                *mine |= theirs;
            }
        }
    }

    /// A kernel leaves the packer as it was.
    fn end(&mut self, state: &mut State, out: &mut Block) {
        let mut needs = Needs::default();
        needs[UNDO] = self.cx.nothing_to_undo();
        needs[L1_ACC] = self.cx.accumulates(false);
        self.provide(needs, state, out);
    }

    /// Undoes what is in force, if anything may be.
    fn undo_unless(&mut self, keeps: bool, state: &mut State, out: &mut Block) {
        if !keeps {
            let mut needs = Needs::default();
            needs[UNDO] = self.cx.nothing_to_undo();
            self.provide(needs, state, out);
        }
    }

    /// Emits what is needed and not in force.
    fn provide(&mut self, needs: Needs, state: &mut State, out: &mut Block) {
        let line = self.line;
        let none = Some(Value::Undo(None));
        let undoes = matches!(&needs[UNDO], Some(Need { by: By::Undoing, .. }));
        // Between sections the packer gets a format only when it writes whole tiles.
        let repacks = needs[PACK].as_ref().is_some_and(|n| state.0[PACK].as_ref() != Some(&n.value));
        let mut again = None;
        if repacks && !self.free && self.cx.undone.is_some() {
            again = self.undo_within_section(state, out);
        } else if let (true, Some(call)) = (undoes || repacks, self.cx.undone)
            && state.0[UNDO] != none
        {
            let undo = Init::Undo(call);
            state.init(&self.cx, &undo);
            out.push(Stmt { line, kind: StmtKind::Op(Op::Init(undo)) });
        }
        let missing = |field: usize| {
            let need = needs[field].as_ref()?;
            (state.0[field].as_ref() != Some(&need.value)).then_some(need)
        };
        let mut emit = |init: Init| {
            let kind = StmtKind::Op(Op::Init(init));
            out.push(Stmt { line, kind });
        };
        let buffer = |field: usize| match missing(field)?.by {
            By::Buffer(cb) => Some(cb),
            By::Init(_) | By::Undoing => None,
        };
        let (srca, srcb) = (buffer(SRCA), buffer(SRCB));
        if srca.is_some() || srcb.is_some() {
            emit(Init::Reconfig { srca, srcb });
        }
        if let Some(cb) = buffer(PACK) {
            emit(Init::PackReconfig { cb });
        }
        if let Some(Need { by: By::Init(init), .. }) = missing(L1_ACC) {
            emit(init.clone());
        }
        for field in [MATRIX, SFPU] {
            if let Some(Need { by: By::Init(init), .. }) = missing(field) {
                emit(init.clone());
            }
        }
        if let (Some(Need { by: By::Init(init), .. }), None) = (missing(UNDO), missing(MATRIX)) {
            emit(init.clone());
        }
        if let Some(init) = &again {
            emit(init.clone());
        }
        if let Some(Need { by: By::Init(init), .. }) = &needs[UNDO] {
            self.mask = Some(init.clone());
        }
        for (touched, need) in self.touched.iter_mut().zip(&needs) {
            *touched |= need.is_some();
        }
        state.apply(&needs);
        if let Some(init) = &again {
            state.init(&self.cx, init);
        }
    }

    /// The body of a loop; what it needs only one value of goes to `out`, in front. `reduces`: as for a block.
    fn repeat(&mut self, l: &Repeated<'_>, reduces: bool, state: &mut Option<State>, out: &mut Block) -> Block {
        let &Repeated { body, cond, variable, leaves } = l;
        let Some(before) = state else {
            return body.to_vec();
        };
        let line = self.line;
        let (needs, varying) = self.loop_needs(body, cond, variable);
        self.provide(needs, before, out);
        self.carries.push(undo::only_reduces(&self.cx, self.summaries, body, cond).unwrap_or(reduces));
        if let Some(variable) = variable {
            before.forget(variable);
        }
        let before = before.clone();

        // What holds at the head in every round: try with nothing known of what the body changes, and meet with how that ends.
        let mut trial = before.clone();
        for (field, varies) in trial.0.iter_mut().zip(varying) {
            if varies {
                *field = None;
            }
        }
        let (returns, free, error) = (self.returns.len(), self.free, self.error.take());
        let (_, ends, _) = self.round(body, cond, &trial);
        self.returns.truncate(returns);
        (self.free, self.error) = (free, error);
        let head = meet(Some(before), ends).unwrap_or_default();
        self.line = line;
        let (code, _, breaks) = self.round(body, cond, &head);
        self.carries.pop();
        *state = if leaves {
            let mut at_head = head;
            if let Some(cond) = cond {
                self.cond_calls(cond, &mut at_head);
            }
            meet(Some(at_head), breaks)
        } else {
            breaks
        };
        code
    }

    /// One round from the head: the code, the state when the next round begins, and the state at the breaks.
    fn round(&mut self, body: &[Stmt], cond: Option<&Expr>, head: &State) -> (Block, Option<State>, Option<State>) {
        let mut start = head.clone();
        if let Some(cond) = cond {
            self.cond_calls(cond, &mut start);
        }
        let mut state = Some(start);
        self.loops.push((None, None));
        let code = self.block(body, self.carries.last() == Some(&true), &mut state);
        let (breaks, continues) = self.loops.pop().unwrap_or_default();
        (code, meet(state, continues), breaks)
    }

    fn cond_calls(&mut self, cond: &Expr, state: &mut State) {
        visit::expr_calls(cond, &mut |call| self.call(call, state));
    }

    /// The fields that a loop needs exactly one value of, sayable before the loop; and the fields of which it needs something else.
    fn loop_needs(&self, body: &[Stmt], cond: Option<&Expr>, variable: Option<LocalId>) -> (Needs, [bool; FIELDS]) {
        let mut one = Needs::default();
        let mut varying = [false; FIELDS];
        let touch = |callee: u32, varying: &mut [bool; FIELDS]| {
            if let Some(summary) = self.summaries.get(callee as usize) {
                for (v, t) in varying.iter_mut().zip(summary.touched) {
                    *v |= t;
                }
            }
        };
        self.cx.each_need(body, self.summaries, &mut |stmt, needs| {
            visit::stmt_calls(stmt, &mut |call| touch(call.callee.0, &mut varying));
            varying[MATRIX] |= matches!(&stmt.kind, StmtKind::Op(op) if clobbers(op));
            for (field, need) in needs.into_iter().enumerate() {
                let Some(need) = need else { continue };
                match &one[field] {
                    None => one[field] = Some(need),
                    Some(known) => varying[field] |= known.value != need.value,
                }
            }
        });
        if let Some(cond) = cond {
            visit::expr_calls(cond, &mut |call| touch(call.callee.0, &mut varying));
        }
        // The packer gets another format only when reductions are undone.
        varying[UNDO] |= varying[PACK] && one[UNDO].is_some();
        // Undoing leaves the matrix unit without a set-up.
        varying[MATRIX] |= varying[UNDO];
        let mut changed: BTreeSet<LocalId> = visit::written_locals(body);
        changed.extend(variable);
        for (field, need) in one.iter_mut().enumerate() {
            let Some(known) = need else { continue };
            let inside = !scalars(&known.value).is_disjoint(&changed)
                || buffers_of(&known.by).iter().any(|b| changed.contains(b));
            varying[field] |= inside;
            if varying[field] {
                *need = None;
            }
        }
        (one, varying)
    }
}

/// A loop.
struct Repeated<'a> {
    body: &'a [Stmt],
    cond: Option<&'a Expr>,
    variable: Option<LocalId>,
    /// It can end at its head, not only by `break`.
    leaves: bool,
}

fn clobbers(op: &Op) -> bool {
    matches!(op, Op::Tile(t) if t.clobbers())
}

fn buffers_of(by: &By) -> Vec<LocalId> {
    let mut buffers = Vec::new();
    match by {
        By::Buffer(cb) => buffers.push(*cb),
        By::Init(init) => visit::init_locals(init, &mut |l| buffers.push(l)),
        By::Undoing => {}
    }
    buffers
}
