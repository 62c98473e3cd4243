//! When the set-up of a reduction is undone: after its section of tile registers, unless the next operation that cares is a reduction too. Its init sets
//! the packer's mask anew.
//!
//! So wherever no section is open, nothing is in force but between reductions, also where paths meet: at the end of a round of a loop, before
//! `continue`, `break` and `return`, at the end of the branches of an `if`. Within a section it stays until the section is packed, whatever else is
//! done with the registers, unless the matrix unit is set up for something else. Device functions that open sections of their own are called with nothing
//! in force and leave nothing.

use super::place::Placer;
use super::state::{Formats, State, Summary, UNDO, Value};
use crate::ir::{Expr, Op, Stmt, StmtKind, visit};
use crate::ops::When;

/// Whether something may have to be undone.
pub(super) fn is_open(cx: &Formats<'_>, state: &State) -> bool {
    cx.undone.is_some() && state.0[UNDO] != Some(Value::Undo(None))
}

/// What a device function may assume. `sets_format`: it gives the packer a format within a section of its caller (`repack`).
pub(super) fn at_entry(mut state: State, starts_free: Option<bool>, sets_format: bool) -> State {
    if starts_free != Some(false) || sets_format {
        state.0[UNDO] = Some(Value::Undo(None));
    }
    state
}

/// Whether no section of tile registers is open where a function begins; `None` if it has nothing to do with them.
pub(super) fn starts_free(body: &[Stmt], summaries: &[Summary]) -> Option<bool> {
    let mut found = None;
    visit::each_stmt(body, &mut |stmt| {
        visit::stmt_calls(stmt, &mut |call| {
            found = found.or(summaries.get(call.callee.0 as usize).and_then(|s| s.starts_free));
        });
        let StmtKind::Op(op) = &stmt.kind else { return };
        found = found.or(match op {
            Op::Acquire => Some(true),
            Op::Tile(t) => match t.call.when() {
                When::Free => Some(true),
                When::Acquired | When::Packing => Some(false),
                When::Always => None,
            },
            Op::Commit
            | Op::Release
            | Op::CopyTile { .. }
            | Op::BinaryTiles { .. }
            | Op::ReuseDest { .. }
            | Op::MatmulTiles { .. }
            | Op::MatmulBlock { .. }
            | Op::Unary { .. }
            | Op::BinaryRegs { .. }
            | Op::TernaryRegs { .. }
            | Op::CopyRegs { .. }
            | Op::PackTile { .. } => Some(false),
            _ => None,
        });
    });
    found
}

/// Whether a loop reduces and does nothing else for which that would have to be undone; `None` if it does neither.
pub(super) fn only_reduces(
    cx: &Formats<'_>,
    summaries: &[Summary],
    body: &[Stmt],
    cond: Option<&Expr>,
) -> Option<bool> {
    let mut found = Found::default();
    found.block(cx, summaries, body);
    if let Some(cond) = cond {
        visit::expr_calls(cond, &mut |call| found.call(summaries, call.callee.0));
    }
    (found.reduces || found.other).then_some(!found.other)
}

/// What statements need of the packer.
#[derive(Default)]
struct Found {
    reduces: bool,
    other: bool,
}

impl Found {
    fn call(&mut self, summaries: &[Summary], callee: u32) {
        self.other |= summaries.get(callee as usize).is_some_and(|s| s.touched[UNDO]);
    }

    fn block(&mut self, cx: &Formats<'_>, summaries: &[Summary], block: &[Stmt]) {
        cx.each_need(block, summaries, &mut |stmt, needs| {
            visit::stmt_calls(stmt, &mut |call| self.call(summaries, call.callee.0));
            match needs[UNDO].as_ref().map(|need| &need.value) {
                Some(Value::Undo(Some(_))) => self.reduces = true,
                Some(_) => self.other = true,
                None => {}
            }
        });
    }
}

impl Placer<'_> {
    /// Whether the next statement that cares is a reduction. `reduces`: whether that is so after `rest`.
    pub(super) fn keeps(&self, rest: &[Stmt], reduces: bool) -> bool {
        if self.cx.undone.is_none() {
            return false;
        }
        for (at, stmt) in rest.iter().enumerate() {
            match stmt.kind {
                StmtKind::Break | StmtKind::Continue => return self.carries.last() == Some(&true),
                StmtKind::Return(_) => return false,
                _ => {}
            }
            if matches!(stmt.kind, StmtKind::Op(Op::Acquire)) {
                if self.cx.section_needs(&rest[at + 1..], self.summaries)[UNDO].is_some() {
                    return false;
                }
                continue;
            }
            let mut found = Found::default();
            found.block(&self.cx, self.summaries, &rest[at..=at]);
            if found.other || found.reduces {
                return !found.other;
            }
        }
        reduces
    }
}
