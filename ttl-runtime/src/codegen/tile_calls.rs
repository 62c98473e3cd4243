//! Tile calls and their inits.

use super::function::Printer;
use super::metalium_0_81 as api;
use crate::ir::{LocalId, Op, StmtKind, TileInit, TileOp, visit};
use crate::ops::TileCall;

impl Printer<'_> {
    pub(super) fn tile_op(&mut self, op: &TileOp) {
        self.headers.insert(op.call.header());
        let (mut ins, mut numbers) = (op.ins.iter(), op.args.iter());
        let mut args = Vec::with_capacity(op.ins.len() + op.args.len());
        for at in 0..op.ins.len() + op.args.len() {
            if op.call.is_buffer(at) {
                args.extend(ins.next().map(|l| self.name(*l)));
            } else {
                args.extend(numbers.next().map(|e| self.text(e)));
            }
        }
        match (op.call, args.as_slice()) {
            (TileCall::Tilize, [cb, block, out]) => {
                let (cb, block, out) = (cb.clone(), block.clone(), out.clone());
                self.set_up(|me| me.call(api::TILIZE_INIT, &[cb.clone(), block.clone(), out.clone()]));
                self.call(api::TILIZE, &[cb.clone(), block, out.clone()]);
                self.set_up(|me| me.call(api::TILIZE_UNINIT, &[cb, out]));
            }
            (TileCall::PackUntilize, [cb, block, out]) => {
                let (cb, block, out) = (cb.clone(), block.clone(), out.clone());
                self.set_up(|me| me.call(&format!("pack_untilize_init<{block}>"), &[cb.clone(), out.clone()]));
                self.call(&format!("pack_untilize_block<{block}>"), &[cb, "1".to_owned(), out.clone()]);
                self.set_up(|me| me.call(api::PACK_UNTILIZE_UNINIT, &[out]));
            }
            (TileCall::PackUntilizePart, [cb, block, full, out, column]) => {
                let sizes = format!("<{block}, {full}>");
                let (cb, out, column) = (cb.clone(), out.clone(), column.clone());
                self.set_up(|me| me.call(&format!("pack_untilize_init{sizes}"), &[cb.clone(), out.clone()]));
                self.call(&format!("pack_untilize_block{sizes}"), &[cb, "1".to_owned(), out.clone(), column]);
                self.set_up(|me| me.call(api::PACK_UNTILIZE_UNINIT, &[out]));
            }
            (TileCall::PackUntilizeDest, [block, full, out, rows, column]) => {
                let sizes = format!("<{block}, {full}>");
                let (out, rows, column) = (out.clone(), rows.clone(), column.clone());
                self.set_up(|me| me.call(&format!("pack_untilize_dest_init{sizes}"), std::slice::from_ref(&out)));
                self.call(&format!("pack_untilize_dest{sizes}"), &[out.clone(), rows, column]);
                self.set_up(|me| me.call(api::PACK_UNTILIZE_UNINIT, &[out]));
            }
            (TileCall::PackRelu(_), _) => {
                let call = op.call.call(false);
                self.called(op.call.name());
                self.out.code(&format!("{call}({}));", args.join(", ")));
            }
            _ => self.call(&op.call.call(self.config.fp32_dest_acc), &args),
        }
    }

    /// A kernel that packs registers as rows of elements: on Blackhole the registers are laid out for that by the mathematics' processor, which has to
    /// be before anything is computed. The init does it, for the whole kernel; what it does to the packer is undone at once.
    pub(super) fn rows_from_registers(&mut self, out: LocalId) {
        let mut packs_rows = false;
        for f in &self.module.fns {
            visit::each_stmt(&f.body, &mut |stmt| {
                packs_rows |= matches!(&stmt.kind, StmtKind::Op(Op::Tile(t)) if t.call == TileCall::PackUntilizeDest);
            });
        }
        if packs_rows {
            self.headers.insert(TileCall::PackUntilizeDest.header());
            let out = [self.name(out)];
            self.call("pack_untilize_dest_init<1>", &out);
            self.call(api::PACK_UNTILIZE_UNINIT, &out);
        }
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
            TileCall::Acc(_) => args.push("true".to_owned()),
            TileCall::MatmulTransposed => args.push("1".to_owned()),
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
