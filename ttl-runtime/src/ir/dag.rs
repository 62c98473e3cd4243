//! Block expressions as a hash-consed DAG: the one form that both the native run and the C++ writer plan from.

use crate::ops::{BinaryOp, TernaryOp, UnaryOp};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Index of a scalar: what it is, the owner of the DAG knows, so that a plan does not depend on values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ScalarId(pub u32);

/// The words of an operation, which stand side by side among the scalars.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Words {
    pub first: ScalarId,
    pub count: u32,
}

impl Words {
    pub const NONE: Words = Words { first: ScalarId(0), count: 0 };

    /// The words of a DAG whose scalars were appended after `before` others.
    pub const fn moved(self, to: u32) -> Words {
        if self.count == 0 { Words::NONE } else { Words { first: ScalarId(to), count: self.count } }
    }

    /// Indices of the scalars.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.first.0 as usize..(self.first.0 + self.count) as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// Leaf number: what it stands for is the owner's business.
    Leaf(u32),
    /// A tile from nothing.
    Create(UnaryOp, Words),
    Unary(UnaryOp, NodeId, Words),
    Binary(BinaryOp, NodeId, NodeId),
    Ternary(TernaryOp, [NodeId; 3], Words),
}

impl Node {
    /// The nodes that it is computed from.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let list = match *self {
            Node::Leaf(_) | Node::Create(..) => [None; 3],
            Node::Unary(_, x, _) => [Some(x), None, None],
            Node::Binary(_, a, b) => [Some(a), Some(b), None],
            Node::Ternary(_, operands, _) => operands.map(Some),
        };
        list.into_iter().flatten()
    }

    /// The words of its operation.
    pub const fn words(&self) -> Words {
        match *self {
            Node::Leaf(_) | Node::Binary(..) => Words::NONE,
            Node::Create(_, words) | Node::Unary(_, _, words) | Node::Ternary(_, _, words) => words,
        }
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
}
