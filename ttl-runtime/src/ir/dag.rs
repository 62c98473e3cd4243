//! Block expressions as a hash-consed DAG: the one form that both the native run and the C++ writer plan from.

use crate::ops::{BinaryOp, UnaryOp};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// Leaf number: what it stands for is the owner's business.
    Leaf(u32),
    Unary(UnaryOp, NodeId),
    Binary(BinaryOp, NodeId, NodeId),
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
