//! Tile calls of tile registers: blocks first, then numbers, as in TT-Metalium.

use super::Lower;
use super::value::Value;
use crate::ir::{Op, TileOp};
use crate::ops::TileCall;
use ttl_skeleton as sk;

impl Lower<'_> {
    /// `None` if it is no method of tile calls.
    pub(super) fn tile_call(&mut self, name: &str, args: &[sk::Expr]) -> Option<Value> {
        let call = TileCall::from_method(name)?;
        let (blocks, numbers) = args.split_at_checked(call.buffers())?;
        let mut ins = Vec::with_capacity(blocks.len());
        for block in blocks {
            match self.guard_cb(block) {
                Some(cb) => ins.push(cb),
                None => return Some(Value::Never),
            }
        }
        let numbers: Vec<&sk::Expr> = numbers.iter().collect();
        let args = self.operands(&numbers);
        Some(self.effect(Op::Tile(TileOp { call, ins, args })))
    }
}
