//! Matrix products, which add up in slot 0.

use super::Planner;
use super::plan::{LeafInfo, Step};
use crate::ir::dag::{Dag, Node, NodeId};
use crate::ops::BinaryOp;

impl Planner<'_> {
    /// Adds all matrix products up in slot 0, onto what is added to them.
    pub(super) fn products(&mut self, root: NodeId) {
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

/// A sum of matrix products that slot 0 gets.
pub(in crate::ir) struct ProductSum {
    /// What the sum is.
    pub(in crate::ir) node: NodeId,
    /// What is there before: a leaf, the accumulator, or a vector or matrix read in another way.
    pub(in crate::ir) onto: Option<NodeId>,
    pub(in crate::ir) products: Vec<(NodeId, NodeId)>,
}

/// The sum around the first matrix product that `root` reaches. There must be no other products.
pub(in crate::ir) fn product_sum(dag: &Dag, leaves: &[LeafInfo], uses: &[u32], root: NodeId) -> Option<ProductSum> {
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
