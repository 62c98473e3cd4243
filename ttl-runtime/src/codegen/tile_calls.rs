//! Tile calls and their inits.

use super::function::Printer;
use crate::ir::{LocalId, Op, StmtKind, TileInit, TileOp, visit};
use crate::ops::TileCall;

impl Printer<'_> {
    pub(super) fn tile_op(&mut self, op: &TileOp) {
        self.headers.insert(op.call.header());
        let mut args: Vec<String> = op.ins.iter().map(|l| self.name(*l)).collect();
        args.extend(op.args.iter().map(|e| self.text(e)));
        self.call(&op.call.call(self.config.fp32_dest_acc), &args);
    }

    pub(super) fn tile_init(&mut self, init: &TileInit) {
        self.headers.insert(init.call.header());
        let mut args: Vec<String> = init.ins.iter().map(|l| self.name(*l)).collect();
        match init.call {
            // The buffer that is packed to: only its tile shape counts.
            TileCall::Reduce(..) => {
                let out = self.first_packed().map_or_else(|| args[0].clone(), |l| self.name(l));
                args.push(out);
            }
            TileCall::CopyTransposed { faces, within } => {
                args.extend([faces, within].map(|flag| u32::from(flag).to_string()));
            }
            _ => {}
        }
        self.call(&init.call.init(self.config.fp32_dest_acc), &args);
    }

    /// The buffer that the function packs to first.
    fn first_packed(&self) -> Option<LocalId> {
        let mut first = None;
        visit::each_stmt(&self.f.body, &mut |stmt| {
            if let StmtKind::Op(Op::PackTile { cb, .. }) = &stmt.kind {
                first = first.or(Some(*cb));
            }
        });
        first
    }

    pub(super) fn tile_undo(&mut self, call: TileCall) {
        self.headers.insert(call.header());
        if let Some(undo) = call.undo() {
            self.call(undo, &[]);
        }
    }
}
