//! A section that reduces and packs to buffers of two formats. The library forbids to change the packer's format while the packer writes only what a
//! reduction makes, and every register of the section is packed so: the reduction is undone, the packer gets the format, and the reduction is set up again.

use super::place::Placer;
use super::state::{MATRIX, PACK, State, Summary, UNDO, Value};
use super::undo;
use crate::ir::passes::PassError;
use crate::ir::visit::CallSite;
use crate::ir::{Block, Init, Op, Stmt, StmtKind};
use crate::site::Site;

/// Whether a function that is called within a section gives the packer a format: nothing may have to be undone then, since it cannot know what.
pub(super) fn sets_format(summary: &Summary, uniform: &State) -> bool {
    sets(summary.starts_free, summary.touched[PACK], uniform)
}

pub(super) fn sets(starts_free: Option<bool>, packs: bool, uniform: &State) -> bool {
    starts_free == Some(false) && packs && uniform.0[PACK].is_none()
}

impl Placer<'_> {
    /// Undoes the reduction that is in force, and says what sets it up again.
    pub(super) fn undo_within_section(&mut self, state: &mut State, out: &mut Block) -> Option<Init> {
        let line = self.line;
        let known = match &state.0[UNDO] {
            Some(Value::Undo(None)) => return None,
            Some(Value::Undo(Some(call))) => Some(*call),
            _ => None,
        };
        let again = self.mask.clone().filter(|init| matches!(init, Init::Tile(t) if Some(t.call) == known));
        let (Some(again), Some(call)) = (again, self.cx.undone) else {
            let site = Site { file: self.file, line, column: 0 };
            self.error.get_or_insert(PassError::RepackUnknown { site });
            return None;
        };
        let undo = Init::Undo(call);
        state.init(&self.cx, &undo);
        out.push(Stmt { line, kind: StmtKind::Op(Op::Init(undo)) });
        self.touched[MATRIX] = true;
        self.touched[UNDO] = true;
        Some(again)
    }

    /// A function that gives the packer a format is called with nothing to undo.
    pub(super) fn may_set_format(&mut self, call: &CallSite<'_>, state: &State) {
        let Some(summary) = self.summaries.get(call.callee.0 as usize) else { return };
        if sets_format(summary, self.uniform) && undo::is_open(&self.cx, state) {
            let site = Site { file: self.file, line: self.line, column: 0 };
            self.error.get_or_insert(PassError::RepackInFunction {
                site,
                function: self.cx.module.function(call.callee).name.clone(),
            });
        }
    }
}
