//! Operations of the vector unit.
use super::{MathConfig, Tile};
use crate::ops::{BinaryOp, UnaryOp};

pub fn sfpu_unary(_cfg: &MathConfig, _op: UnaryOp, _dst: &mut Tile) {}
pub fn sfpu_binary(_cfg: &MathConfig, _op: BinaryOp, _regs: &mut [Tile], _d0: usize, _d1: usize, _out: usize) {}
