//! Block expressions as a hash-consed DAG: the one form that both the native run and the C++ writer plan from.

use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim, TernaryOp, UnaryOp};

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
    Binary(BinaryOp, NodeId, NodeId, Words),
    Ternary(TernaryOp, [NodeId; 3], Words),
    /// A vector of tiles, as large as what it is combined with.
    Bcast(Bcast, NodeId),
    Reduce(Pool, ReduceDim, NodeId),
    /// Tiles and the elements in them.
    Transpose(NodeId),
    Matmul(NodeId, NodeId),
}

impl Node {
    /// An operation without words.
    pub const fn pair(op: BinaryOp, a: NodeId, b: NodeId) -> Node {
        Node::Binary(op, a, b, Words::NONE)
    }

    /// The nodes that it is computed from, left to right.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let list = match *self {
            Node::Leaf(_) | Node::Create(..) => [None; 3],
            Node::Unary(_, x, _) | Node::Bcast(_, x) | Node::Reduce(_, _, x) | Node::Transpose(x) => {
                [Some(x), None, None]
            }
            Node::Binary(_, a, b, _) | Node::Matmul(a, b) => [Some(a), Some(b), None],
            Node::Ternary(_, operands, _) => operands.map(Some),
        };
        list.into_iter().flatten()
    }

    /// The same operation of other operands.
    pub fn map(self, mut of: impl FnMut(NodeId) -> NodeId) -> Node {
        match self {
            Node::Leaf(leaf) => Node::Leaf(leaf),
            Node::Create(op, words) => Node::Create(op, words),
            Node::Unary(op, x, words) => Node::Unary(op, of(x), words),
            Node::Binary(op, a, b, words) => {
                let a = of(a);
                Node::Binary(op, a, of(b), words)
            }
            Node::Ternary(op, operands, words) => Node::Ternary(op, operands.map(of), words),
            Node::Bcast(bcast, x) => Node::Bcast(bcast, of(x)),
            Node::Reduce(pool, dim, x) => Node::Reduce(pool, dim, of(x)),
            Node::Transpose(x) => Node::Transpose(of(x)),
            Node::Matmul(a, b) => {
                let a = of(a);
                Node::Matmul(a, of(b))
            }
        }
    }

    /// The words of its operation.
    pub const fn words(&self) -> Words {
        match *self {
            Node::Create(_, words)
            | Node::Unary(_, _, words)
            | Node::Binary(_, _, _, words)
            | Node::Ternary(_, _, words) => words,
            Node::Leaf(_) | Node::Bcast(..) | Node::Reduce(..) | Node::Transpose(_) | Node::Matmul(..) => Words::NONE,
        }
    }

    /// The same operation with other words.
    pub const fn with_words(self, words: Words) -> Node {
        match self {
            Node::Create(op, _) => Node::Create(op, words),
            Node::Unary(op, x, _) => Node::Unary(op, x, words),
            Node::Binary(op, a, b, _) => Node::Binary(op, a, b, words),
            Node::Ternary(op, operands, _) => Node::Ternary(op, operands, words),
            node => node,
        }
    }

    /// Whether each tile of the result comes from the tiles of the operands at the same place. The other operations take theirs from
    /// circular buffers.
    pub const fn is_elementwise(&self) -> bool {
        matches!(self, Node::Create(..) | Node::Unary(..) | Node::Binary(..) | Node::Ternary(..))
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
