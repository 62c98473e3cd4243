//! Operations of several registers: three operands, and two that must lie side by side.

use super::{Planner, Step};
use crate::ir::dag::{NodeId, Words};
use crate::ops::{BinaryOp, TernaryOp};

impl Planner<'_> {
    pub(super) fn ternary(&mut self, op: TernaryOp, operands: [NodeId; 3], words: Words) -> u32 {
        // Each value once, those that need most registers first.
        let mut order = operands.to_vec();
        order.sort_by_key(|n| std::cmp::Reverse(self.needs[n.0 as usize]));
        let mut slots: Vec<(NodeId, u32)> = Vec::with_capacity(3);
        for node in order {
            if !slots.iter().any(|(n, _)| *n == node) {
                let slot = self.value(node);
                slots.push((node, slot));
            }
        }
        let slot_of = |node: NodeId| slots.iter().find(|(n, _)| *n == node).map_or(0, |(_, slot)| *slot);
        let registers = operands.map(slot_of);
        for (node, slot) in operands.into_iter().zip(registers) {
            self.used(node, slot);
        }
        let out = self.take_first_of(&registers);
        self.steps.push(Step::Ternary { op, operands: registers, out, words });
        out
    }

    /// `slot = slot op next slot`.
    pub(super) fn pair(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> u32 {
        // Leaves in buffers are copied straight to their place, so the others come first.
        let computed = |me: &Self, n: NodeId| me.front(n).is_none();
        let (mut sa, mut sb) = (None, None);
        // The first slot is kept for a leaf while the other operand is computed, which then most likely lands beside it.
        let kept = (!computed(self, a) && computed(self, b)).then(|| self.take(false));
        let a_first = self.needs[a.0 as usize] >= self.needs[b.0 as usize];
        for first in [a_first, !a_first] {
            let (node, slot) = if first { (a, &mut sa) } else { (b, &mut sb) };
            if computed(self, node) {
                *slot = Some(self.value(node));
            }
        }
        if let Some(kept) = kept {
            self.release(kept);
        }
        let last_use = a != b && self.uses[a.0 as usize] == 1;
        let free = |me: &Self, slot: u32| !me.busy.get(slot as usize).copied().unwrap_or(false);
        // The accumulator's slot has no neighbour.
        let lowest = u32::from(self.leaves.contains(&super::LeafInfo::Acc));
        let first = match (sa, sb) {
            (Some(s), Some(t)) if last_use && s >= lowest && t == s + 1 => s,
            (Some(s), None) if last_use && s >= lowest && free(self, s + 1) => s,
            (_, Some(t)) if t > lowest && free(self, t - 1) => t - 1,
            _ => (lowest..).find(|s| free(self, *s) && free(self, *s + 1)).unwrap_or(lowest),
        };
        for slot in [first, first + 1] {
            while self.busy.len() <= slot as usize {
                self.busy.push(false);
                self.written.push(false);
            }
            self.busy[slot as usize] = true;
            self.written[slot as usize] = true;
        }
        for (node, from, to) in [(b, sb, first + 1), (a, sa, first)] {
            match from {
                Some(slot) if slot == to => {}
                Some(from) => self.steps.push(Step::CopyRegs { from, to }),
                None => {
                    if let Some((leaf, ..)) = self.front(node) {
                        self.steps.push(Step::Copy { leaf, slot: to });
                    }
                }
            }
        }
        self.steps.push(Step::Regs { op, a: first, b: first + 1, out: first, words: Words::NONE });
        for (node, slot) in [(b, sb), (a, sa)] {
            match slot {
                Some(slot) => self.used(node, slot),
                None => self.uses[node.0 as usize] -= 1,
            }
        }
        // The first holds the result; the second may still hold a value that is needed.
        self.busy[first as usize] = true;
        if sb != Some(first + 1) {
            self.release(first + 1);
        }
        first
    }
}
