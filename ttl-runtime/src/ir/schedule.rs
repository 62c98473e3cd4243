//! Where the fusion of a block expression breaks: the parts that are computed one after the other, and the buffers between them.
//!
//! Broadcasts, reductions, transposes and matrix products read circular buffers. Where their operand is computed, it is packed to an intermediate
//! buffer first: a part of its own. So is
//! - a value that two parts need: it is computed once;
//! - a reduction or a product that is combined with what else has to be unpacked, where the unit cannot do both in one section;
//! - a part of an expression that needs more tile registers than there are;
//! - an accumulator, if another part must run before its value is used.
//!
//! A schedule depends on the expression, on what its leaves are, and on the compute configuration, not on sizes.

use super::dag::{Dag, Node, NodeId};
use super::fuse::{self, LeafInfo, Plan, PlanError};
use super::kinds;
use super::shape::{Dim, Shape, Shapes};
use crate::arch::ComputeConfig;
use crate::ops::{Bcast, Kind};
use crate::tensor::format::DataFormat;
use std::collections::BTreeSet;

/// An intermediate buffer: filled by one part, read by later ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Temp {
    pub format: DataFormat,
    pub shape: Shape,
}

/// One part: a plan for each tile of its result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    pub plan: Plan,
    pub shape: Shape,
    /// The buffer that gets the result; `None`: the block that is stored to.
    pub to: Option<u32>,
    /// Buffers that nobody reads after this part.
    pub done: Vec<u32>,
    /// What part of the expression it computes, for readers of reports.
    pub dag: Dag,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Schedule {
    pub parts: Vec<Part>,
    pub temps: Vec<Temp>,
    /// Leaf numbers of the plans from here on are buffers.
    pub leaves: u32,
    pub shapes: Shapes,
}

impl Part {
    /// Whether the shape of its block matters: it reads tiles of other places.
    pub fn is_shaped(&self) -> bool {
        self.plan.steps.iter().any(|step| step.is_shaped())
    }
}

impl Schedule {
    /// Every tile comes from the tiles of the leaves at the same place.
    pub fn is_plain(&self) -> bool {
        matches!(self.parts.as_slice(), [part] if !part.is_shaped() && !part.plan.matmul)
    }

    /// The intermediate buffer that a leaf number of a plan stands for.
    pub const fn temp(&self, leaf: u32) -> Option<u32> {
        leaf.checked_sub(self.leaves)
    }

    /// The shape of a leaf of a plan.
    pub fn leaf_shape(&self, leaf: u32) -> Shape {
        match self.temp(leaf) {
            Some(temp) => self.temps[temp as usize].shape,
            None => Shape::of_leaf(leaf),
        }
    }
}

/// Cuts an expression into parts.
pub fn schedule(dag: &Dag, leaves: &[LeafInfo], config: &ComputeConfig) -> Result<Schedule, PlanError> {
    let dag = &kinds::resolve(dag, leaves, config.fp32_dest_acc)?;
    let root = dag.root.ok_or(PlanError::Empty)?;
    let shapes = Shapes::of(dag);
    let mut cutter = Cutter { dag, leaves, config, root, shapes: &shapes, stored: BTreeSet::new() };
    cutter.operands();
    loop {
        if cutter.shared() || cutter.restricted() {
            continue;
        }
        match cutter.parts() {
            Ok((parts, temps)) => return Ok(Schedule { parts, temps, leaves: leaves.len() as u32, shapes }),
            Err(Cut::Here(node)) => {
                cutter.stored.insert(node);
            }
            Err(Cut::Error(error)) => return Err(error),
        }
    }
}

enum Cut {
    Here(NodeId),
    Error(PlanError),
}

struct Cutter<'a> {
    dag: &'a Dag,
    leaves: &'a [LeafInfo],
    config: &'a ComputeConfig,
    root: NodeId,
    shapes: &'a Shapes,
    /// Values that go to intermediate buffers.
    stored: BTreeSet<NodeId>,
}

impl Cutter<'_> {
    fn is_acc(&self, node: NodeId) -> bool {
        matches!(self.dag.node(node), Node::Leaf(l) if self.leaves.get(l as usize) == Some(&LeafInfo::Acc))
    }

    /// In a circular buffer as it is.
    fn in_buffer(&self, node: NodeId) -> bool {
        matches!(self.dag.node(node), Node::Leaf(_)) && !self.is_acc(node)
    }

    /// Whether computing it again costs no more than keeping it: it is read from a buffer.
    fn is_read(&self, node: NodeId) -> bool {
        matches!(self.dag.node(node), Node::Leaf(_) | Node::Bcast(..) | Node::Transpose(_))
    }

    fn operands(&mut self) {
        let reached = self.dag.reached();
        for (node, reached) in self.dag.nodes.iter().zip(reached) {
            if !reached || node.is_elementwise() {
                continue;
            }
            for operand in node.operands() {
                if !self.in_buffer(operand) {
                    self.stored.insert(operand);
                }
            }
        }
    }

    /// The results of parts, in the order in which they are computed.
    fn roots(&self) -> Vec<NodeId> {
        let mut roots: Vec<NodeId> = self.stored.iter().copied().collect();
        roots.push(self.root);
        // An accumulator holds the tile registers: it goes first.
        roots.sort_by_key(|n| !self.holds_acc(*n, &self.nodes_of(*n)));
        roots
    }

    /// Whether the part of `root` reads the accumulator in its registers.
    fn holds_acc(&self, root: NodeId, nodes: &BTreeSet<NodeId>) -> bool {
        nodes.iter().any(|n| self.is_acc(*n) && (*n == root || !self.stored.contains(n)))
    }

    /// The nodes that one part computes or reads, its root first. Stored values are read.
    fn nodes_of(&self, root: NodeId) -> BTreeSet<NodeId> {
        let mut nodes = BTreeSet::new();
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if !nodes.insert(node) || (node != root && self.stored.contains(&node)) {
                continue;
            }
            open.extend(self.dag.node(node).operands());
        }
        nodes
    }

    /// Stores a value that two parts compute, the largest first. Whether one was found.
    fn shared(&mut self) -> bool {
        let parts: Vec<BTreeSet<NodeId>> = self.roots().into_iter().map(|r| self.nodes_of(r)).collect();
        for at in (0..self.dag.nodes.len() as u32).rev().map(NodeId) {
            if self.stored.contains(&at) || at == self.root || self.is_read(at) && !self.is_acc(at) {
                continue;
            }
            let shape = self.shapes.get(at);
            if shape.rows == Dim::Any || shape.cols == Dim::Any {
                continue; // its size is only known where it is used
            }
            if parts.iter().filter(|p| p.contains(&at)).count() > 1 {
                self.stored.insert(at);
                return true;
            }
        }
        false
    }

    /// Stores what cannot be computed in one section with the rest of its part.
    fn restricted(&mut self) -> bool {
        for root in self.roots() {
            let nodes = self.nodes_of(root);
            let has_acc = self.holds_acc(root, &nodes);
            // While an accumulator is held no other part can run.
            if has_acc && nodes.iter().any(|n| *n != root && self.stored.contains(n)) {
                let acc = nodes.iter().copied().find(|n| self.is_acc(*n));
                self.stored.extend(acc);
                return true;
            }
            let of = |kind: fn(&Node) -> bool| -> Vec<NodeId> {
                let computed = |n: &NodeId| *n == root || !self.stored.contains(n);
                nodes.iter().copied().filter(|n| computed(n) && kind(&self.dag.node(*n))).collect()
            };
            let (reductions, products) = (of(|n| matches!(n, Node::Reduce(..))), of(|n| matches!(n, Node::Matmul(..))));
            // The packer masks what a reduction leaves beside its result until another operation is set up.
            if !reductions.is_empty() && self.unpacks(root, &nodes, &reductions) {
                let before = self.stored.len();
                self.stored.extend(reductions.into_iter().filter(|n| *n != root));
                if self.stored.len() > before {
                    return true;
                }
            }
            if let [first, ..] = products.as_slice() {
                let uses = self.uses(root, &nodes);
                let sum = fuse::product_sum(self.dag, self.leaves, &uses, root);
                let onto_acc = sum.as_ref().is_some_and(|s| s.onto.is_some_and(|n| self.is_acc(n)));
                let in_sum = sum.map_or(0, |s| s.products.len());
                if in_sum < products.len() || has_acc && !onto_acc {
                    let other = products.iter().rev().find(|n| **n != root && **n != *first).unwrap_or(first);
                    if self.stored.insert(*other) {
                        return true;
                    }
                }
            }
            if let Some(value) = self.beside_row(root, &nodes) {
                self.stored.insert(value);
                return true;
            }
        }
        false
    }

    /// Whether a part with reductions unpacks something else too, or reduces along two directions.
    fn unpacks(&self, root: NodeId, nodes: &BTreeSet<NodeId>, reductions: &[NodeId]) -> bool {
        let dim = |n: &NodeId| match self.dag.node(*n) {
            Node::Reduce(_, dim, _) => Some(dim),
            _ => None,
        };
        if reductions.iter().any(|n| dim(n) != dim(&reductions[0])) {
            return true;
        }
        nodes.iter().any(|n| {
            let node = self.dag.node(*n);
            if *n != root && self.stored.contains(n) || matches!(node, Node::Leaf(_)) {
                // Read as an operand of an element-wise operation.
                return !self.is_acc(*n) && nodes.iter().any(|user| self.reads(root, *user, *n));
            }
            matches!(node, Node::Bcast(..) | Node::Transpose(_) | Node::Matmul(..))
        })
    }

    /// Whether `user`, computed in the part of `root`, is element-wise and has `operand`.
    fn reads(&self, root: NodeId, user: NodeId, operand: NodeId) -> bool {
        let node = self.dag.node(user);
        (user == root || !self.stored.contains(&user)) && node.is_elementwise() && node.operands().any(|o| o == operand)
    }

    /// With 32-bit registers a row cannot be broadcast into a register from bf16 tiles. What is to be stored instead: the value beside it, so that
    /// the matrix unit takes both from buffers; or the row itself, as f32.
    fn beside_row(&self, root: NodeId, nodes: &BTreeSet<NodeId>) -> Option<NodeId> {
        if !self.config.fp32_dest_acc {
            return None;
        }
        let computed = |n: &NodeId| *n == root || !self.stored.contains(n);
        let in_buffer = |n: NodeId| self.in_buffer(n) || self.stored.contains(&n);
        for row in nodes.iter().copied().filter(computed) {
            let Node::Bcast(Bcast::Row, of) = self.dag.node(row) else { continue };
            let bf16 = match self.dag.node(of) {
                Node::Leaf(l) if !self.stored.contains(&of) => {
                    matches!(self.leaves.get(l as usize), Some(LeafInfo::Front { format: DataFormat::Bf16, .. }))
                }
                _ => false, // intermediate buffers are f32 here
            };
            if !bf16 {
                continue;
            }
            if row == root {
                return Some(of);
            }
            for user in nodes.iter().copied().filter(computed) {
                let node = self.dag.node(user);
                if !node.operands().any(|o| o == row) {
                    continue;
                }
                let Node::Binary(op, a, b, _) = node else { return Some(of) };
                let other = if a == row { b } else { a };
                let pair = op.row().fpu.is_some() && (b == row || op.commutes());
                if !pair || other == row {
                    return Some(of);
                }
                let shape = self.shapes.get(other);
                if !in_buffer(other) {
                    let sized = shape.rows != Dim::Any && shape.cols != Dim::Any && !self.is_read(other);
                    return Some(if sized { other } else { of });
                }
            }
        }
        None
    }

    /// Uses of each node in the part of `root`.
    fn uses(&self, root: NodeId, nodes: &BTreeSet<NodeId>) -> Vec<u32> {
        let mut uses = vec![0; self.dag.nodes.len()];
        uses[root.0 as usize] = 1;
        for node in nodes {
            if *node == root || !self.stored.contains(node) {
                for operand in self.dag.node(*node).operands() {
                    uses[operand.0 as usize] += 1;
                }
            }
        }
        uses
    }

    fn parts(&self) -> Result<(Vec<Part>, Vec<Temp>), Cut> {
        let roots = self.roots();
        let kinds = kinds::of_nodes(self.dag, self.leaves);
        let mut temps = Vec::new();
        let mut temp_of: Vec<Option<u32>> = vec![None; self.dag.nodes.len()];
        let mut infos = self.leaves.to_vec();
        let mut parts: Vec<Part> = Vec::with_capacity(roots.len());
        let last = roots.len() - 1;
        for (at, root) in roots.iter().copied().enumerate() {
            let dag = self.part(root, &temp_of);
            let plan = match fuse::plan(&dag, &infos, self.config) {
                Ok(plan) => plan,
                Err(PlanError::TooManyRegisters { needed, available, width }) => {
                    let error = PlanError::TooManyRegisters { needed, available, width };
                    return Err(self.largest_that_fits(root, &temp_of, &infos).map_or(Cut::Error(error), Cut::Here));
                }
                Err(error) => return Err(Cut::Error(error)),
            };
            let shape = self.shapes.get(root);
            let to = (at < last).then_some(temps.len() as u32);
            if let Some(temp) = to {
                for (side, name) in [(shape.rows, "rows"), (shape.cols, "columns")] {
                    if side == Dim::Any {
                        return Err(Cut::Error(PlanError::Unsized(name)));
                    }
                }
                temp_of[root.0 as usize] = Some(temp);
                let format = match kinds[root.0 as usize] {
                    Kind::Float if self.config.fp32_dest_acc => DataFormat::F32,
                    Kind::Float => DataFormat::Bf16,
                    Kind::I32 => DataFormat::I32,
                    Kind::U32 => DataFormat::U32,
                    Kind::U16 => DataFormat::U16,
                };
                temps.push(Temp { format, shape });
                infos.push(LeafInfo::Front { format, to_dest: false });
            }
            parts.push(Part { plan, shape, to, done: Vec::new(), dag });
        }
        let leaves = self.leaves.len() as u32;
        for temp in 0..temps.len() as u32 {
            let reads = |p: &Part| p.dag.nodes.contains(&Node::Leaf(leaves + temp));
            if let Some(last) = parts.iter().rposition(reads) {
                parts[last].done.push(temp);
            }
        }
        Ok((parts, temps))
    }

    /// The expression of one part.
    fn part(&self, root: NodeId, temp_of: &[Option<u32>]) -> Dag {
        let mut dag = Dag::default();
        let mut here: Vec<Option<NodeId>> = vec![None; self.dag.nodes.len()];
        for node in self.nodes_of(root) {
            let at = node.0 as usize;
            let read = temp_of[at].filter(|_| node != root);
            here[at] = Some(dag.add(match read {
                Some(temp) => Node::Leaf(self.leaves.len() as u32 + temp),
                // Operands stand before their users, so they are there.
                None => self.dag.node(node).map(|id| here[id.0 as usize].unwrap_or(NodeId(0))),
            }));
        }
        dag.root = here[root.0 as usize];
        prune(dag)
    }

    /// The largest value below `root` whose own part fits the registers.
    fn largest_that_fits(&self, root: NodeId, temp_of: &[Option<u32>], infos: &[LeafInfo]) -> Option<NodeId> {
        self.nodes_of(root).into_iter().rev().find(|node| {
            let shape = self.shapes.get(*node);
            *node != root
                && !self.stored.contains(node)
                && !self.is_read(*node)
                && shape.rows != Dim::Any
                && shape.cols != Dim::Any
                && fuse::plan(&self.part(*node, temp_of), infos, self.config).is_ok()
        })
    }
}

/// Without the nodes that the root does not reach.
fn prune(dag: Dag) -> Dag {
    let reached = dag.reached();
    let mut out = Dag::default();
    let mut here = vec![NodeId(0); dag.nodes.len()];
    for (at, node) in dag.nodes.iter().enumerate().filter(|(at, _)| reached[*at]) {
        here[at] = out.add(node.map(|id| here[id.0 as usize]));
    }
    out.root = dag.root.map(|root| here[root.0 as usize]);
    out
}

#[cfg(test)]
mod tests;
