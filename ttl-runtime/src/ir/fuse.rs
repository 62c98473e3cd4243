//! How one tile of a block expression is computed: which unit does what, in which tile register.
//!
//! Both the native run and the C++ writer ask [`plan`] and follow its steps, so that they round alike. A plan is plain data and depends
//! only on the expression, on what its leaves are and on the compute configuration; callers may cache it.
//!
//! Rules, in the order they are tried:
//! - A lone leaf is copied.
//! - Two leaves of one format: one matrix-unit operation straight from the circular buffers.
//! - `x * y + v` (either order) with leaves `x`, `y` of one format: `v` in the register, then `mul_tiles`, which adds to its register.
//! - A value and a bf16 leaf, with 16-bit registers: the matrix unit takes the register as one operand. That path squeezes the
//!   register through a 19-bit source register, which is exact for 16-bit values and only for them.
//! - Any other pair: both in registers, the SFPU combines them. Unary operations work in place.
//! - A broadcast vector is the second operand of the matrix unit where the first is a leaf; else it is unpacked to a register. The first is exact for
//!   what the source registers hold, and costs no register.
//! - A matrix product comes first, into slot 0. What is added to it, if it is a leaf or a broadcast vector, is put there before, so that the product
//!   adds to it; further products are added in turn.
//! - A reduction adds up in a register that nothing was written to.
//!
//! Operands of broadcasts, reductions, transposes and products are leaves: [`schedule`](super::schedule) cuts expressions so.
//!
//! Operands that need more registers are computed first, so that few are in use at a time. A value used twice is computed once; a
//! leaf used twice is read from its buffer twice, which costs no register.
//!
//! Registers: a section (acquire to release) holds `tiles_per_section` tiles, each with `slots_per_tile` slots.
//! [`Plan::register`] maps them. Without an accumulator the slots of one tile lie side by side; with one, or with a matrix product, slot 0 of
//! tile `t` is register `t`, where the product leaves it, and the other slots come after all of these.

use super::dag::{Dag, Node, NodeId, Words};
use super::kinds;
use crate::arch::ComputeConfig;
use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim, TernaryOp, UnaryOp};
use crate::tensor::format::DataFormat;

/// What the planner must know of a leaf. Two leaves are two buffers or positions: the same guard has to be the same leaf.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LeafInfo {
    /// Tiles at the front of a circular buffer.
    Front {
        format: DataFormat,
        /// f32 tiles that go to the registers unrounded (`UnpackToDestFp32`). Such a buffer cannot feed the matrix unit.
        to_dest: bool,
    },
    /// The accumulator, in slot 0.
    Acc,
}

/// One operation on every tile of a section. `leaf` numbers are those of the DAG.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    Copy {
        leaf: u32,
        slot: u32,
    },
    /// Two leaves to a register; `Mul` adds to it.
    Fpu {
        op: BinaryOp,
        a: u32,
        b: u32,
        slot: u32,
    },
    /// `slot = slot op leaf`, reversed `slot = leaf op slot`.
    ReuseDest {
        op: BinaryOp,
        reversed: bool,
        leaf: u32,
        slot: u32,
    },
    /// In place; or, for an operation that creates, into the slot.
    Unary {
        op: UnaryOp,
        slot: u32,
        words: Words,
    },
    /// `out = a op b`, all slots.
    Regs {
        op: BinaryOp,
        a: u32,
        b: u32,
        out: u32,
        words: Words,
    },
    /// `out = op(operands)`, all slots.
    Ternary {
        op: TernaryOp,
        operands: [u32; 3],
        out: u32,
        words: Words,
    },
    CopyRegs {
        from: u32,
        to: u32,
    },
    /// A broadcast leaf to a register.
    CopyBcast {
        bcast: Bcast,
        leaf: u32,
        slot: u32,
    },
    /// Leaf `a` and broadcast leaf `b` to a register; `Mul` adds to it.
    FpuBcast {
        op: BinaryOp,
        bcast: Bcast,
        a: u32,
        b: u32,
        slot: u32,
    },
    Transpose {
        leaf: u32,
        slot: u32,
    },
    /// All tiles of a row, of a column or of the block, onto a fresh register.
    Reduce {
        pool: Pool,
        dim: ReduceDim,
        leaf: u32,
        slot: u32,
    },
    /// Adds the matrix product of two leaves to slot 0 of all tiles of the section.
    Matmul {
        a: u32,
        b: u32,
    },
}

impl Step {
    /// Whether it needs the row or the column of its tile, not only the number in the block.
    pub const fn is_shaped(&self) -> bool {
        match self {
            Step::CopyBcast { .. } | Step::FpuBcast { .. } | Step::Transpose { .. } | Step::Reduce { .. } => true,
            Step::Copy { .. }
            | Step::Fpu { .. }
            | Step::ReuseDest { .. }
            | Step::Unary { .. }
            | Step::Regs { .. }
            | Step::Ternary { .. }
            | Step::CopyRegs { .. }
            | Step::Matmul { .. } => false,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub slots_per_tile: u32,
    pub result_slot: u32,
    /// Tiles that fit between acquire and release.
    pub tiles_per_section: u32,
    /// Slot 0 is the accumulator.
    pub acc: bool,
    /// Slot 0 is where matrix products add up.
    pub matmul: bool,
}

impl Plan {
    /// Whether the vector unit reads the accumulator, which must have been written then.
    pub fn reads_acc(&self) -> bool {
        self.acc
            && self.steps.iter().any(|step| match *step {
                Step::Regs { a, b, .. } => a == 0 || b == 0,
                Step::Ternary { operands, .. } => operands.contains(&0),
                Step::CopyRegs { from, .. } => from == 0,
                Step::Unary { slot, .. } => slot == 0,
                _ => false,
            })
    }

    /// Register of a slot of tile `tile` of a section.
    pub const fn register(&self, tile: u32, slot: u32) -> u32 {
        let (stride, offset) = self.register_terms(slot);
        tile * stride + offset
    }

    /// Register of `slot` as `tile * stride + offset`.
    pub const fn register_terms(&self, slot: u32) -> (u32, u32) {
        match (self.acc || self.matmul, slot) {
            (false, _) => (self.slots_per_tile, slot),
            (true, 0) => (1, 0),
            (true, _) => (self.slots_per_tile - 1, self.tiles_per_section + slot - 1),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    #[error(
        "the expression needs {needed} tile registers per tile, {available} are available ({width}-bit registers): \
         store a part of it to a circular buffer first"
    )]
    TooManyRegisters { needed: u32, available: u32, width: u32 },
    #[error("the expression has no value")]
    Empty,
    #[error("leaf {leaf} of the expression is not described ({leaves} leaves are)")]
    UnknownLeaf { leaf: u32, leaves: u32 },
    #[error("the expression has more than one accumulator")]
    TwoAccumulators,
    #[error("an operand of a broadcast, reduction, transpose or product is no leaf")]
    NotCut,
    #[error(
        "an f32 buffer whose tiles go to the tile registers at full precision is broadcast, reduced, transposed or multiplied as a matrix; these go \
         through source registers of 19 bits: leave it out of `compute_with_full_precision`"
    )]
    FullPrecision,
    #[error("the number of {0} of an intermediate block is not known: combine the broadcast vector with a block first")]
    Unsized(&'static str),
    #[error("tiles of {kind} need 32-bit registers: set `fp32_dest_acc` in the compute configuration")]
    NarrowIntegers { kind: &'static str },
    #[error("`{op}` needs 32-bit registers: set `fp32_dest_acc` in the compute configuration")]
    WideOnly { op: &'static str },
    #[error("`{op}` does not exist for tiles of {kind}")]
    NoForm { op: &'static str, kind: &'static str },
    #[error(
        "`{op}` of tiles of {left} and of {right}: both must hold the same; convert one with `to_f32`, `to_i32` or `to_u32`"
    )]
    MixedKinds { op: &'static str, left: &'static str, right: &'static str },
}

/// Plans one tile of `dag`.
pub fn plan(dag: &Dag, leaves: &[LeafInfo], config: &ComputeConfig) -> Result<Plan, PlanError> {
    let dag = &kinds::resolve(dag, leaves, config.fp32_dest_acc)?;
    let root = dag.root.ok_or(PlanError::Empty)?;
    let uses = count_uses(dag, root, leaves)?;
    let available = config.dst_tiles();
    operands_are_leaves(dag, &uses, leaves)?;
    let mut planner = Planner::new(dag, leaves, config, &uses, true);
    planner.products(root);
    let mut result_slot = planner.value(root);
    if planner.slots() > available {
        // A product wants a register that nothing was written to, because it adds. Do without where none is left.
        planner = Planner::new(dag, leaves, config, &uses, false);
        planner.products(root);
        result_slot = planner.value(root);
    }
    let slots_per_tile = planner.slots();
    if slots_per_tile > available {
        return Err(PlanError::TooManyRegisters {
            needed: slots_per_tile,
            available,
            width: if config.fp32_dest_acc { 32 } else { 16 },
        });
    }
    Ok(Plan {
        steps: planner.steps,
        slots_per_tile,
        result_slot,
        tiles_per_section: available / slots_per_tile,
        acc: planner.acc,
        matmul: planner.matmul,
    })
}

/// How often each node is an operand (the root once more), counting what the root reaches.
fn count_uses(dag: &Dag, root: NodeId, leaves: &[LeafInfo]) -> Result<Vec<u32>, PlanError> {
    if leaves.iter().filter(|l| **l == LeafInfo::Acc).count() > 1 {
        return Err(PlanError::TwoAccumulators);
    }
    let mut uses = vec![0; dag.nodes.len()];
    uses[root.0 as usize] = 1;
    // Operands stand before their users, so one pass from the end sees every use of a node before the node.
    for at in (0..dag.nodes.len()).rev() {
        if uses[at] == 0 {
            continue;
        }
        if let Node::Leaf(leaf) = dag.nodes[at]
            && leaf as usize >= leaves.len()
        {
            let leaves = leaves.len() as u32;
            return Err(PlanError::UnknownLeaf { leaf, leaves });
        }
        for operand in dag.nodes[at].operands() {
            uses[operand.0 as usize] += 1;
        }
    }
    Ok(uses)
}

/// What is no element-wise operation takes its operands from circular buffers.
fn operands_are_leaves(dag: &Dag, uses: &[u32], leaves: &[LeafInfo]) -> Result<(), PlanError> {
    for (node, uses) in dag.nodes.iter().zip(uses) {
        if *uses == 0 || node.is_elementwise() {
            continue;
        }
        for operand in node.operands() {
            match dag.node(operand) {
                Node::Leaf(leaf) => match leaves.get(leaf as usize) {
                    Some(LeafInfo::Front { to_dest: true, .. }) => return Err(PlanError::FullPrecision),
                    Some(LeafInfo::Front { .. }) => {}
                    _ => return Err(PlanError::NotCut),
                },
                _ => return Err(PlanError::NotCut),
            }
        }
    }
    Ok(())
}

/// Two leaves for the matrix unit; the second may be broadcast.
#[derive(Clone, Copy)]
struct Pair {
    a: u32,
    b: u32,
    bcast: Option<Bcast>,
}

/// How a binary node is computed.
enum Way {
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

struct Planner<'a> {
    dag: &'a Dag,
    leaves: &'a [LeafInfo],
    wide: bool,
    /// Give products registers that nothing was written to.
    fresh: bool,
    /// Uses of each node in all, and still to come.
    total: &'a [u32],
    uses: Vec<u32>,
    /// Registers each node needs, as a tree.
    needs: Vec<u32>,
    slot_of: Vec<Option<u32>>,
    /// Per slot: holds a value that is still needed; was written to.
    busy: Vec<bool>,
    written: Vec<bool>,
    steps: Vec<Step>,
    /// Slot 0 is the accumulator; is for matrix products.
    acc: bool,
    matmul: bool,
}

impl<'a> Planner<'a> {
    fn new(dag: &'a Dag, leaves: &'a [LeafInfo], config: &ComputeConfig, uses: &'a [u32], fresh: bool) -> Planner<'a> {
        let mut planner = Planner {
            dag,
            leaves,
            wide: config.fp32_dest_acc,
            fresh,
            total: uses,
            uses: uses.to_vec(),
            needs: Vec::with_capacity(dag.nodes.len()),
            slot_of: vec![None; dag.nodes.len()],
            busy: Vec::new(),
            written: Vec::new(),
            steps: Vec::new(),
            acc: false,
            matmul: false,
        };
        let acc = |n: &usize| matches!(dag.nodes[*n], Node::Leaf(l) if planner.is_acc(l));
        if let Some(n) = (0..dag.nodes.len()).find(|n| uses[*n] > 0 && acc(n)) {
            planner.acc = true;
            planner.busy.push(true);
            planner.written.push(true);
            planner.slot_of[n] = Some(0);
        }
        for at in 0..dag.nodes.len() {
            let need = planner.need(NodeId(at as u32));
            planner.needs.push(need);
        }
        planner
    }

    fn slots(&self) -> u32 {
        (self.busy.len() as u32).max(1)
    }

    fn is_acc(&self, leaf: u32) -> bool {
        self.leaves.get(leaf as usize) == Some(&LeafInfo::Acc)
    }

    /// The leaf in a circular buffer that `node` is, if it is one.
    fn front(&self, node: NodeId) -> Option<(u32, DataFormat, bool)> {
        match self.dag.node(node) {
            Node::Leaf(leaf) => match self.leaves.get(leaf as usize) {
                Some(&LeafInfo::Front { format, to_dest }) => Some((leaf, format, to_dest)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The leaf that `node` broadcasts, if it does.
    fn broadcast(&self, node: NodeId) -> Option<(Bcast, u32)> {
        match self.dag.node(node) {
            Node::Bcast(bcast, of) => self.front(of).map(|(leaf, ..)| (bcast, leaf)),
            _ => None,
        }
    }

    /// Two leaves that the matrix unit can take together.
    fn fpu_pair(&self, op: BinaryOp, a: NodeId, b: NodeId) -> Option<Pair> {
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
    fn product(&self, node: NodeId) -> Option<Pair> {
        match self.dag.node(node) {
            Node::Binary(BinaryOp::Mul, a, b, _) if self.total[node.0 as usize] == 1 => {
                self.fpu_pair(BinaryOp::Mul, a, b)
            }
            _ => None,
        }
    }

    fn reusable(&self, node: NodeId) -> Option<u32> {
        match self.front(node)? {
            (leaf, DataFormat::Bf16, _) if !self.wide => Some(leaf),
            _ => None,
        }
    }

    fn way(&self, op: BinaryOp, a: NodeId, b: NodeId) -> Way {
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

    fn need(&self, node: NodeId) -> u32 {
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

    /// A free slot, marked busy. `clean`: one that nothing was written to.
    fn take(&mut self, clean: bool) -> u32 {
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

    fn release(&mut self, slot: u32) {
        self.busy[slot as usize] = false;
    }

    /// Whether a slot is left, among those in use so far, that nothing was written to.
    fn has_clean(&self) -> bool {
        (0..self.busy.len()).any(|s| !self.busy[s] && !self.written[s]) || self.busy.iter().all(|b| *b)
    }

    /// The slot that holds `node`, computed if it is not there yet. The use is still counted as to come.
    fn value(&mut self, node: NodeId) -> u32 {
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
                self.steps.push(Step::Reduce { pool, dim, leaf, slot });
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
    fn take_over(&mut self, node: NodeId) -> u32 {
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
    fn used(&mut self, node: NodeId, slot: u32) {
        let at = node.0 as usize;
        self.uses[at] -= 1;
        if self.slot_of[at].is_none() || self.uses[at] == 0 {
            self.slot_of[at] = None;
            self.release(slot);
        }
    }

    /// A sum of a block that only an accumulator is added to: the accumulator and the reduction.
    fn onto_acc(&self, op: BinaryOp, a: NodeId, b: NodeId) -> Option<(NodeId, Pool, ReduceDim, u32)> {
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

    fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId, words: Words) -> u32 {
        if let Some((acc, pool, dim, leaf)) = self.onto_acc(op, a, b) {
            let slot = self.take_over(acc);
            self.steps.push(Step::Reduce { pool, dim, leaf, slot });
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
    fn take_first_of(&mut self, slots: &[u32]) -> u32 {
        match slots.iter().copied().find(|s| !self.busy[*s as usize]) {
            Some(slot) => {
                self.busy[slot as usize] = true;
                slot
            }
            None => self.take(false),
        }
    }

    /// Two leaves by the matrix unit.
    fn leaves_op(&mut self, op: BinaryOp, pair: Pair) -> u32 {
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

    fn leaf_of(&self, node: NodeId) -> u32 {
        match self.dag.node(node) {
            Node::Leaf(leaf) => leaf,
            _ => 0, // refused before
        }
    }

    /// Adds all matrix products up in slot 0, onto what is added to them.
    fn products(&mut self, root: NodeId) {
        let Some(sum) = product_sum(self.dag, self.leaves, self.total, root) else { return };
        self.matmul = true;
        let slot = if self.acc { 0 } else { self.take(false) };
        match sum.onto.map(|node| self.dag.node(node)) {
            Some(Node::Leaf(leaf)) if !self.is_acc(leaf) => self.steps.push(Step::Copy { leaf, slot }),
            Some(Node::Bcast(bcast, of)) => {
                let leaf = self.leaf_of(of);
                self.steps.push(Step::CopyBcast { bcast, leaf, slot });
            }
            Some(Node::Transpose(of)) => {
                let leaf = self.leaf_of(of);
                self.steps.push(Step::Transpose { leaf, slot });
            }
            _ => {}
        }
        for (a, b) in sum.products {
            let (a, b) = (self.leaf_of(a), self.leaf_of(b));
            self.steps.push(Step::Matmul { a, b });
        }
        if let Some(onto) = sum.onto {
            self.slot_of[onto.0 as usize] = None;
        }
        self.slot_of[sum.node.0 as usize] = Some(slot);
        self.busy[slot as usize] = true;
    }
}

fn fpu(op: BinaryOp, Pair { a, b, bcast }: Pair, slot: u32) -> Step {
    match bcast {
        Some(bcast) => Step::FpuBcast { op, bcast, a, b, slot },
        None => Step::Fpu { op, a, b, slot },
    }
}

/// A sum of matrix products that slot 0 gets.
pub(super) struct ProductSum {
    /// What the sum is.
    pub(super) node: NodeId,
    /// What is there before: a leaf, the accumulator, or a vector or matrix read in another way.
    pub(super) onto: Option<NodeId>,
    pub(super) products: Vec<(NodeId, NodeId)>,
}

/// The sum around the first matrix product that `root` reaches. There must be no other products.
pub(super) fn product_sum(dag: &Dag, leaves: &[LeafInfo], uses: &[u32], root: NodeId) -> Option<ProductSum> {
    let first = (0..=root.0).find(|&n| uses[n as usize] > 0 && matches!(dag.nodes[n as usize], Node::Matmul(..)))?;
    let Node::Matmul(a, b) = dag.nodes[first as usize] else { return None };
    let mut sum = ProductSum { node: NodeId(first), onto: None, products: vec![(a, b)] };
    let acc = |leaf: u32| leaves.get(leaf as usize) == Some(&LeafInfo::Acc);
    // With an accumulator in slot 0 the product has to be added to that.
    let needs_acc = dag.nodes.iter().zip(uses).any(|(n, u)| *u > 0 && matches!(n, Node::Leaf(l) if acc(*l)));
    while uses[sum.node.0 as usize] == 1 {
        let user = (sum.node.0 + 1..=root.0)
            .find(|&n| uses[n as usize] > 0 && dag.nodes[n as usize].operands().any(|operand| operand == sum.node));
        let Some(user) = user else { break };
        let Node::Binary(BinaryOp::Add, a, b, _) = dag.nodes[user as usize] else { break };
        let other = if a == sum.node { b } else { a };
        match dag.node(other) {
            Node::Matmul(a, b) if uses[other.0 as usize] == 1 => sum.products.push((a, b)),
            Node::Leaf(leaf) if sum.onto.is_none() && (acc(leaf) && uses[other.0 as usize] == 1 || !needs_acc) => {
                sum.onto = Some(other);
            }
            Node::Bcast(..) | Node::Transpose(_) if sum.onto.is_none() && !needs_acc => sum.onto = Some(other),
            _ => break,
        }
        sum.node = NodeId(user);
    }
    Some(sum)
}

mod several;
#[cfg(test)]
pub(crate) mod tests;
