//! Block expressions as a hash-consed DAG: the one form that both the native run and the C++ writer plan from.

use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim, UnaryOp};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// Leaf number: what it stands for is the owner's business.
    Leaf(u32),
    Unary(UnaryOp, NodeId),
    Binary(BinaryOp, NodeId, NodeId),
    /// A vector of tiles, as large as what it is combined with.
    Bcast(Bcast, NodeId),
    Reduce(Pool, ReduceDim, NodeId),
    /// Tiles and the elements in them.
    Transpose(NodeId),
    Matmul(NodeId, NodeId),
}

impl Node {
    /// Its operands, left to right.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let (a, b) = match *self {
            Node::Leaf(_) => (None, None),
            Node::Unary(_, x) | Node::Bcast(_, x) | Node::Reduce(_, _, x) | Node::Transpose(x) => (Some(x), None),
            Node::Binary(_, a, b) | Node::Matmul(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }

    /// The same operation of other operands.
    pub fn map(self, mut of: impl FnMut(NodeId) -> NodeId) -> Node {
        match self {
            Node::Leaf(leaf) => Node::Leaf(leaf),
            Node::Unary(op, x) => Node::Unary(op, of(x)),
            Node::Binary(op, a, b) => {
                let a = of(a);
                Node::Binary(op, a, of(b))
            }
            Node::Bcast(bcast, x) => Node::Bcast(bcast, of(x)),
            Node::Reduce(pool, dim, x) => Node::Reduce(pool, dim, of(x)),
            Node::Transpose(x) => Node::Transpose(of(x)),
            Node::Matmul(a, b) => {
                let a = of(a);
                Node::Matmul(a, of(b))
            }
        }
    }

    /// Whether each tile of the result comes from the tiles of the operands at the same place. The other operations take theirs from
    /// circular buffers.
    pub const fn is_elementwise(&self) -> bool {
        matches!(self, Node::Unary(..) | Node::Binary(..))
    }
}

/// Nodes stand after their operands; equal nodes are one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Dag {
    pub nodes: Vec<Node>,
    pub root: Option<NodeId>,
}

impl Dag {
    pub fn add(&mut self, node: Node) -> NodeId {
        let at = self.nodes.iter().position(|n| *n == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        NodeId(at as u32)
    }

    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    /// Adds the nodes of another expression, with its leaves renumbered by `leaf`, and returns its root here.
    pub fn append(&mut self, other: &Dag, mut leaf: impl FnMut(u32) -> u32) -> Option<NodeId> {
        let mut here: Vec<NodeId> = Vec::with_capacity(other.nodes.len());
        for node in &other.nodes {
            let node = match *node {
                Node::Leaf(n) => Node::Leaf(leaf(n)),
                node => node.map(|id| here[id.0 as usize]),
            };
            here.push(self.add(node));
        }
        other.root.map(|root| here[root.0 as usize])
    }

    /// Which nodes the root reaches.
    pub fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.nodes.len()];
        if let Some(root) = self.root {
            reached[root.0 as usize] = true;
        }
        // Operands stand before their users.
        for at in (0..self.nodes.len()).rev() {
            if reached[at] {
                for operand in self.nodes[at].operands() {
                    reached[operand.0 as usize] = true;
                }
            }
        }
        reached
    }
}
