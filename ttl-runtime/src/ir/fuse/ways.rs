//! How each operation is computed: by the matrix unit from buffers, onto a value, with a register, or by the vector unit; and the registers that takes.

use super::Planner;
use super::plan::{LeafInfo, Step};
use crate::ir::dag::{Node, NodeId};
use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim};
use crate::tensor::format::DataFormat;

/// Two leaves for the matrix unit; the second may be broadcast.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) bcast: Option<Bcast>,
}

/// How a binary node is computed.
pub(super) enum Way {
    /// Both leaves, by the matrix unit.
    Fpu(Pair),
    /// `value`, then the product of two leaves onto it.
    Accumulate {
        value: NodeId,
        pair: Pair,
    },
    /// `value`, then the matrix unit with a leaf.
    Reuse {
        value: NodeId,
        leaf: u32,
        reversed: bool,
    },
    Regs,
    /// In registers side by side, the result in the first.
    Pair,
}

impl Planner<'_> {
    /// The leaf in a circular buffer that `node` is, if it is one.
    pub(super) fn front(&self, node: NodeId) -> Option<(u32, DataFormat, bool)> {
        match self.dag.node(node) {
            Node::Leaf(leaf) => match self.leaves.get(leaf as usize) {
                Some(&LeafInfo::Front { format, to_dest }) => Some((leaf, format, to_dest)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Maxima of rows and reductions to one number take their results through the source registers once more. These hold 11 bits where both operands are f32,
    /// and 8 where one is not.
    pub(super) fn reduce(&mut self, pool: Pool, dim: ReduceDim, leaf: u32, slot: u32) {
        let again = dim == ReduceDim::Scalar || pool == Pool::Max && dim == ReduceDim::Row;
        let f32_data = matches!(self.leaves.get(leaf as usize), Some(LeafInfo::Front { format: DataFormat::F32, .. }));
        self.steps.push(Step::Reduce { pool, dim, leaf, slot, wide: self.wide && again && f32_data });
    }

    /// The leaf that `node` broadcasts, if it does.
    pub(super) fn broadcast(&self, node: NodeId) -> Option<(Bcast, u32)> {
        match self.dag.node(node) {
            Node::Bcast(bcast, of) => self.front(of).map(|(leaf, ..)| (bcast, leaf)),
            _ => None,
        }
    }

    /// Two leaves that the matrix unit can take together.
    pub(super) fn fpu_pair(&self, op: BinaryOp, a: NodeId, b: NodeId) -> Option<Pair> {
        if let (Some((a, _, false)), Some((bcast, b))) = (self.front(a), self.broadcast(b)) {
            return Some(Pair { a, b, bcast: Some(bcast) });
        }
        if let (true, Some((bcast, a)), Some((b, _, false))) = (op.commutes(), self.broadcast(a), self.front(b)) {
            return Some(Pair { a: b, b: a, bcast: Some(bcast) });
        }
        match (self.front(a)?, self.front(b)?) {
            ((a, fa, false), (b, fb, false)) if fa == fb && !fa.is_integer() => Some(Pair { a, b, bcast: None }),
            _ => None,
        }
    }

    /// A product of two leaves that nobody else needs.
    pub(super) fn product(&self, node: NodeId) -> Option<Pair> {
        match self.dag.node(node) {
            Node::Binary(BinaryOp::Mul, a, b, _) if self.total[node.0 as usize] == 1 => {
                self.fpu_pair(BinaryOp::Mul, a, b)
            }
            _ => None,
        }
    }

    pub(super) fn reusable(&self, node: NodeId) -> Option<u32> {
        match self.front(node)? {
            (leaf, DataFormat::Bf16, _) if !self.wide => Some(leaf),
            _ => None,
        }
    }

    pub(super) fn way(&self, op: BinaryOp, a: NodeId, b: NodeId) -> Way {
        if op.row().fpu.is_none() {
            return if op.row().adjacent { Way::Pair } else { Way::Regs };
        }
        if let Some(pair) = self.fpu_pair(op, a, b) {
            return Way::Fpu(pair);
        }
        if op == BinaryOp::Add {
            if let Some(pair) = self.product(b) {
                return Way::Accumulate { value: a, pair };
            }
            if let Some(pair) = self.product(a) {
                return Way::Accumulate { value: b, pair };
            }
        }
        if let Some(leaf) = self.reusable(b) {
            return Way::Reuse { value: a, leaf, reversed: false };
        }
        if let Some(leaf) = self.reusable(a) {
            let reversed = !op.commutes();
            return Way::Reuse { value: b, leaf, reversed };
        }
        Way::Regs
    }

    pub(super) fn need(&self, node: NodeId) -> u32 {
        let of = |n: NodeId| self.needs[n.0 as usize];
        match self.dag.node(node) {
            Node::Leaf(_)
            | Node::Create(..)
            | Node::Bcast(..)
            | Node::Reduce(..)
            | Node::Transpose(_)
            | Node::Matmul(..) => 1,
            Node::Unary(_, x, _) => of(x),
            Node::Ternary(_, operands, _) => {
                let mut needs = operands.map(of);
                needs.sort_unstable_by(|a, b| b.cmp(a));
                (0..).zip(needs).map(|(held, need)| held + need).max().unwrap_or(1)
            }
            Node::Binary(op, a, b, _) => match self.way(op, a, b) {
                Way::Fpu(_) => 1,
                Way::Accumulate { value, .. } | Way::Reuse { value, .. } => of(value),
                Way::Pair => of(a).max(of(b)) + 1,
                Way::Regs if of(a) == of(b) => of(a) + 1,
                Way::Regs => of(a).max(of(b)),
            },
        }
    }
}

pub(super) fn fpu(op: BinaryOp, Pair { a, b, bcast }: Pair, slot: u32) -> Step {
    match bcast {
        Some(bcast) => Step::FpuBcast { op, bcast, a, b, slot },
        None => Step::Fpu { op, a, b, slot },
    }
}
