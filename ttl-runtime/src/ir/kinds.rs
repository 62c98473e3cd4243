//! Which form of an operation a block expression means: integers and floats have operations of their own on the device, by one name in Rust.

use super::dag::{Dag, Node, NodeId};
use super::fuse::{LeafInfo, PlanError};
use crate::ops::Kind;
use crate::tensor::format::DataFormat;

impl Kind {
    /// What tiles of a format hold.
    pub fn of(format: DataFormat) -> Kind {
        match format.metalium_name() {
            "Int32" => Kind::I32,
            "UInt32" => Kind::U32,
            "UInt16" => Kind::U16,
            _ => Kind::Float,
        }
    }

    /// For messages.
    pub const fn describe(self) -> &'static str {
        match self {
            Kind::Float => "floats",
            Kind::I32 => "i32",
            Kind::U32 => "u32",
            Kind::U16 => "u16",
        }
    }
}

/// The same expression with the operations for what its leaves hold. `wide`: registers have 32 bits, which integers of 32 bits need.
pub fn resolve(dag: &Dag, leaves: &[LeafInfo], wide: bool) -> Result<Dag, PlanError> {
    let mut kinds: Vec<Kind> = Vec::with_capacity(dag.nodes.len());
    let mut out = Dag::default();
    let mut map: Vec<NodeId> = Vec::with_capacity(dag.nodes.len());
    for node in &dag.nodes {
        let of = |n: &NodeId| kinds[n.0 as usize];
        let at = |n: NodeId| map[n.0 as usize];
        let (kind, node) = match *node {
            Node::Leaf(leaf) => match leaves.get(leaf as usize) {
                Some(LeafInfo::Front { format, .. }) => (Kind::of(*format), *node),
                _ => (Kind::Float, *node),
            },
            Node::Create(op, words) => (op.row().kind, Node::Create(op, words)),
            Node::Unary(op, x, words) => {
                let kind = of(&x);
                let row = op.row();
                // With numbers it was chosen by what they are.
                let form = if row.params.is_empty() { op.of_kind(kind) } else { Some(op).filter(|_| row.kind == kind) };
                let form = form.ok_or(PlanError::NoForm { op: row.method, kind: kind.describe() })?;
                if form.row().wide && !wide {
                    return Err(PlanError::WideOnly { op: form.row().method });
                }
                (form.row().gives, Node::Unary(form, at(x), words))
            }
            Node::Binary(op, a, b, words) => {
                let (left, right) = (of(&a), of(&b));
                let form = op.of_kind(left).ok_or(PlanError::NoForm { op: op.row().method, kind: left.describe() });
                // What the second operand has to be, only the form says.
                if right != form.as_ref().map_or(left, |form| form.row().right) {
                    let (left, right) = (left.describe(), right.describe());
                    return Err(PlanError::MixedKinds { op: op.row().method, left, right });
                }
                let form = form?;
                if form.row().wide && !wide {
                    return Err(PlanError::WideOnly { op: form.row().method });
                }
                (form.row().gives, Node::Binary(form, at(a), at(b), words))
            }
            Node::Ternary(op, operands, words) => {
                let kind = of(&operands[1]);
                let form = op.of_kind(kind).ok_or(PlanError::NoForm { op: op.row().method, kind: kind.describe() })?;
                if kind != of(&operands[2]) {
                    let (left, right) = (kind.describe(), of(&operands[2]).describe());
                    return Err(PlanError::MixedKinds { op: op.row().method, left, right });
                }
                (kind, Node::Ternary(form, operands.map(at), words))
            }
            Node::Bcast(_, x) | Node::Transpose(x) => (of(&x), node.map(at)),
            Node::Reduce(_, _, x) | Node::Matmul(x, _) => {
                let kind = [Some(of(&x)), node.operands().nth(1).map(|b| of(&b))].into_iter().flatten();
                // The matrix unit has floats only.
                if let Some(kind) = kind.into_iter().find(|kind| *kind != Kind::Float) {
                    return Err(PlanError::NoForm { op: method(node), kind: kind.describe() });
                }
                (Kind::Float, node.map(at))
            }
        };
        if !wide && matches!(kind, Kind::I32 | Kind::U32) {
            return Err(PlanError::NarrowIntegers { kind: kind.describe() });
        }
        kinds.push(kind);
        map.push(out.add(node));
    }
    out.root = dag.root.map(|r| map[r.0 as usize]);
    Ok(out)
}

/// What the nodes of a resolved expression hold.
pub fn of_nodes(dag: &Dag, leaves: &[LeafInfo]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::with_capacity(dag.nodes.len());
    for node in &dag.nodes {
        let of = |n: NodeId| kinds[n.0 as usize];
        let kind = match *node {
            Node::Leaf(leaf) => match leaves.get(leaf as usize) {
                Some(LeafInfo::Front { format, .. }) => Kind::of(*format),
                _ => Kind::Float,
            },
            Node::Create(op, _) => op.row().kind,
            Node::Unary(op, ..) => op.row().gives,
            Node::Binary(op, ..) => op.row().gives,
            Node::Ternary(_, [_, x, _], _)
            | Node::Bcast(_, x)
            | Node::Transpose(x)
            | Node::Reduce(_, _, x)
            | Node::Matmul(x, _) => of(x),
        };
        kinds.push(kind);
    }
    kinds
}

/// The name of a reduction or a product.
const fn method(node: &Node) -> &'static str {
    match node {
        Node::Reduce(pool, dim, _) => [
            ["sum_row", "sum_col", "sum_scalar"],
            ["mean_row", "mean_col", "mean_scalar"],
            ["max_row", "max_col", "max_scalar"],
        ][*pool as usize][*dim as usize],
        _ => "matmul",
    }
}
