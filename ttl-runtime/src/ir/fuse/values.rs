//! Which register holds which value, and the steps that compute it.

use super::Planner;
use super::plan::{LeafInfo, Step};
use super::ways::{Pair, Way, fpu};
use crate::ir::dag::{Node, NodeId, Words};
use crate::ops::{BinaryOp, Pool, ReduceDim};
use crate::tensor::format::DataFormat;

impl Planner<'_> {
    /// A free slot, marked busy. `clean`: one that nothing was written to.
    pub(super) fn take(&mut self, clean: bool) -> u32 {
        let found = (0..self.busy.len()).find(|&s| !(self.busy[s] || clean && self.written[s]));
        let slot = found.unwrap_or_else(|| {
            self.busy.push(false);
            self.written.push(false);
            self.busy.len() - 1
        });
        self.busy[slot] = true;
        self.written[slot] = true;
        slot as u32
    }

    pub(super) fn release(&mut self, slot: u32) {
        self.busy[slot as usize] = false;
    }

    /// Whether a slot is left, among those in use so far, that nothing was written to.
    pub(super) fn has_clean(&self) -> bool {
        (0..self.busy.len()).any(|s| !self.busy[s] && !self.written[s]) || self.busy.iter().all(|b| *b)
    }

    /// The slot that holds `node`, computed if it is not there yet. The use is still counted as to come.
    pub(super) fn value(&mut self, node: NodeId) -> u32 {
        let at = node.0 as usize;
        if let Some(slot) = self.slot_of[at] {
            return slot;
        }
        let slot = match self.dag.node(node) {
            Node::Leaf(leaf) => {
                // Not kept: the next use reads the buffer again.
                let slot = self.take(false);
                self.steps.push(Step::Copy { leaf, slot });
                return slot;
            }
            // Nor these: they are ways to read a buffer.
            Node::Bcast(bcast, of) => {
                let (leaf, slot) = (self.leaf_of(of), self.take(false));
                self.steps.push(Step::CopyBcast { bcast, leaf, slot });
                return slot;
            }
            Node::Transpose(of) => {
                let (leaf, slot) = (self.leaf_of(of), self.take(false));
                self.steps.push(Step::Transpose { leaf, slot });
                return slot;
            }
            Node::Reduce(pool, dim, of) => {
                let (leaf, slot) = (self.leaf_of(of), self.take(true));
                self.reduce(pool, dim, leaf, slot);
                slot
            }
            // All products were taken care of first.
            Node::Matmul(..) => 0,
            Node::Create(op, words) => {
                let slot = self.take(false);
                self.steps.push(Step::Unary { op, slot, words });
                slot
            }
            Node::Unary(op, x, words) => {
                let slot = self.take_over(x);
                self.steps.push(Step::Unary { op, slot, words });
                slot
            }
            Node::Binary(op, a, b, words) => self.binary(op, a, b, words),
            Node::Ternary(op, operands, words) => self.ternary(op, operands, words),
        };
        self.slot_of[at] = Some(slot);
        slot
    }

    /// The value of `node` in a slot that may be overwritten.
    pub(super) fn take_over(&mut self, node: NodeId) -> u32 {
        let slot = self.value(node);
        let at = node.0 as usize;
        self.uses[at] -= 1;
        if self.slot_of[at].is_none() {
            return slot; // a leaf, copied for this use
        }
        if self.uses[at] == 0 {
            self.slot_of[at] = None;
            return slot;
        }
        let copy = self.take(false);
        self.steps.push(Step::CopyRegs { from: slot, to: copy });
        copy
    }

    /// Ends a use of `node`'s value in `slot`.
    pub(super) fn used(&mut self, node: NodeId, slot: u32) {
        let at = node.0 as usize;
        self.uses[at] -= 1;
        if self.slot_of[at].is_none() || self.uses[at] == 0 {
            self.slot_of[at] = None;
            self.release(slot);
        }
    }

    /// A sum of a block that only an accumulator is added to: the accumulator and the reduction.
    pub(super) fn onto_acc(&self, op: BinaryOp, a: NodeId, b: NodeId) -> Option<(NodeId, Pool, ReduceDim, u32)> {
        let acc = |n: NodeId| matches!(self.dag.node(n), Node::Leaf(leaf) if self.is_acc(leaf));
        [(a, b), (b, a)].into_iter().find_map(|(value, sum)| match self.dag.node(sum) {
            Node::Reduce(pool @ (Pool::Sum | Pool::Avg), dim, of)
                if op == BinaryOp::Add && acc(value) && self.total[sum.0 as usize] == 1 =>
            {
                Some((value, pool, dim, self.leaf_of(of)))
            }
            _ => None,
        })
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId, words: Words) -> u32 {
        if let Some((acc, pool, dim, leaf)) = self.onto_acc(op, a, b) {
            let slot = self.take_over(acc);
            self.reduce(pool, dim, leaf, slot);
            return slot;
        }
        match self.way(op, a, b) {
            Way::Fpu(pair) => {
                self.uses[a.0 as usize] -= 1;
                self.uses[b.0 as usize] -= 1;
                self.leaves_op(op, pair)
            }
            Way::Accumulate { value, pair } => {
                let slot = self.take_over(value);
                self.steps.push(fpu(BinaryOp::Mul, pair, slot));
                slot
            }
            Way::Reuse { value, leaf, reversed } => {
                let slot = self.take_over(value);
                self.steps.push(Step::ReuseDest { op, reversed, leaf, slot });
                slot
            }
            Way::Regs => {
                let need = |n: NodeId| self.needs[n.0 as usize];
                let (sa, sb) = if a == b {
                    let slot = self.value(a);
                    (slot, slot)
                } else if need(b) > need(a) {
                    let sb = self.value(b);
                    (self.value(a), sb)
                } else {
                    let sa = self.value(a);
                    (sa, self.value(b))
                };
                self.used(a, sa);
                self.used(b, sb);
                let out = self.take_first_of(&[sa, sb]);
                self.steps.push(Step::Regs { op, a: sa, b: sb, out, words });
                out
            }
            Way::Pair => self.pair(op, a, b),
        }
    }

    /// One of some slots if it is free now, else another.
    pub(super) fn take_first_of(&mut self, slots: &[u32]) -> u32 {
        match slots.iter().copied().find(|s| !self.busy[*s as usize]) {
            Some(slot) => {
                self.busy[slot as usize] = true;
                slot
            }
            None => self.take(false),
        }
    }

    /// Two leaves by the matrix unit.
    pub(super) fn leaves_op(&mut self, op: BinaryOp, pair: Pair) -> u32 {
        if op != BinaryOp::Mul || self.fresh || self.has_clean() {
            let slot = self.take(op == BinaryOp::Mul);
            self.steps.push(fpu(op, pair, slot));
            return slot;
        }
        // No clean register for a product: copy the first operand, so that nothing old is added.
        let Pair { a, b, bcast } = pair;
        let slot = self.take(false);
        self.steps.push(Step::Copy { leaf: a, slot });
        let bf16 = matches!(self.leaves[b as usize], LeafInfo::Front { format: DataFormat::Bf16, .. });
        if bf16 && !self.wide && bcast.is_none() {
            let reversed = false;
            self.steps.push(Step::ReuseDest { op, reversed, leaf: b, slot });
        } else {
            let other = self.take(false);
            self.steps.push(match bcast {
                Some(bcast) => Step::CopyBcast { bcast, leaf: b, slot: other },
                None => Step::Copy { leaf: b, slot: other },
            });
            self.steps.push(Step::Regs { op, a: slot, b: other, out: slot, words: Words::NONE });
            self.release(other);
        }
        slot
    }

    pub(super) fn leaf_of(&self, node: NodeId) -> u32 {
        match self.dag.node(node) {
            Node::Leaf(leaf) => leaf,
            _ => 0, // refused before
        }
    }
}
