//! Tile calls: blocks and numbers in the order of TT-Metalium.

use super::Lower;
use super::value::Value;
use crate::ir::{Op, TileOp};
use crate::ops::{TileCall, When};
use ttl_skeleton as sk;

impl Lower<'_> {
    /// `None` if it is no tile call for registers in this state.
    pub(super) fn tile_call(&mut self, name: &str, args: &[sk::Expr], when: &[When]) -> Option<Value> {
        let call = TileCall::from_method(name).filter(|call| when.contains(&call.when()))?;
        let (mut ins, mut numbers) = (Vec::new(), Vec::new());
        for (at, arg) in args.iter().enumerate() {
            if !call.is_buffer(at) {
                numbers.push(arg);
                continue;
            }
            match self.guard_cb(arg) {
                Some(cb) => ins.push(cb),
                None => return Some(Value::Never),
            }
        }
        let args = self.operands(&numbers);
        if args.iter().take(call.constants()).any(|e| e.as_u32().is_none()) {
            return Some(self.refuse(
                format!("a number of tiles of `{name}` is not known to the compiler"),
                "it is a template argument in C++: write a number, a constant or a const generic",
            ));
        }
        Some(self.effect(Op::Tile(TileOp { call, ins, args })))
    }
}
