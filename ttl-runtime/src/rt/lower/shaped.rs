//! Blocks as matrices of tiles: shapes, broadcasts, reductions, transposes, matrix products, and sums in accumulators.

use super::Lower;
use super::tile_ops::{join, merge};
use super::value::{Binding, ResKind, TileLeaf, Tiles, Value};
use crate::ir::dag::{Dag, Node, NodeId};
use crate::ir::{Accumulate, BinOp, Expr, Op};
use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim};
use ttl_skeleton as sk;

/// The operation of a method without arguments.
fn of_block(name: &str) -> Option<fn(NodeId) -> Node> {
    Some(match name {
        "bcast_rows" => |x| Node::Bcast(Bcast::Row, x),
        "bcast_cols" => |x| Node::Bcast(Bcast::Col, x),
        "bcast_scalar" => |x| Node::Bcast(Bcast::Scalar, x),
        "sum_row" => |x| Node::Reduce(Pool::Sum, ReduceDim::Row, x),
        "sum_col" => |x| Node::Reduce(Pool::Sum, ReduceDim::Col, x),
        "sum_scalar" => |x| Node::Reduce(Pool::Sum, ReduceDim::Scalar, x),
        "max_row" => |x| Node::Reduce(Pool::Max, ReduceDim::Row, x),
        "max_col" => |x| Node::Reduce(Pool::Max, ReduceDim::Col, x),
        "max_scalar" => |x| Node::Reduce(Pool::Max, ReduceDim::Scalar, x),
        "mean_row" => |x| Node::Reduce(Pool::Avg, ReduceDim::Row, x),
        "mean_col" => |x| Node::Reduce(Pool::Avg, ReduceDim::Col, x),
        "mean_scalar" => |x| Node::Reduce(Pool::Avg, ReduceDim::Scalar, x),
        "transpose" => |x| Node::Transpose(x),
        _ => return None,
    })
}

/// Whether a method makes a block of what it is called on.
pub(super) fn is_shaped(name: &str) -> bool {
    name == "block" || name == "matmul" || of_block(name).is_some()
}

impl Lower<'_> {
    /// A method of blocks on a tile value.
    pub(super) fn shaped_method(&mut self, recv: &Value, name: &str, args: &[sk::Expr]) -> Option<Value> {
        if !is_shaped(name) {
            return None;
        }
        match (name, args) {
            ("block", [rows, cols]) => {
                let mut tiles = self.receiver_tiles(recv)?;
                let sizes = self.operands(&[rows, cols]);
                let [rows, cols] = sizes.try_into().ok()?;
                let shape = [self.stable(rows), self.stable(cols)];
                if let Value::Res { id, .. } = recv {
                    // It borrows the waited block, which is released where it would be anyway.
                    tiles.owned.clear();
                    if let Some(refused) = self.too_few(*id, &shape) {
                        return Some(refused);
                    }
                }
                reshape(&mut tiles, &shape);
                Some(Value::Tiles(tiles))
            }
            ("matmul", [other]) => {
                let left = self.receiver_tiles(recv)?;
                let value = self.expr(other);
                if matches!(value, Value::Never) {
                    return Some(Value::Never);
                }
                let Some(right) = self.as_tiles(&value) else {
                    let what = value.describe();
                    return Some(self.fault(format!("a matrix product of tiles and {what}")));
                };
                let mut all = left;
                let left = all.dag.root?;
                let right = merge(&mut all, right)?;
                all.dag.root = Some(all.dag.add(Node::Matmul(left, right)));
                Some(Value::Tiles(all))
            }
            (_, []) => {
                let node = of_block(name)?;
                let mut tiles = self.receiver_tiles(recv)?;
                let root = tiles.dag.root?;
                tiles.dag.root = Some(tiles.dag.add(node(root)));
                Some(Value::Tiles(tiles))
            }
            _ => None,
        }
    }

    /// Refuses a block of more tiles than were waited for, where both are known.
    fn too_few(&mut self, front: super::value::ResId, [rows, cols]: &[Expr; 2]) -> Option<Value> {
        let ResKind::Front { pages: Some(pages), .. } = &self.resources[front.0].kind else { return None };
        let known = crate::ir::passes::expand::constant;
        let (pages, r, c) = (known(pages)?, known(rows)?, known(cols)?);
        if r.checked_mul(c).is_some_and(|tiles| tiles <= pages) {
            return None;
        }
        Some(self.refuse(
            format!("a block of {r}x{c} tiles is made of {pages} waited tiles"),
            "wait for as many tiles as the block has",
        ))
    }

    /// `acc += value`; `None` if the place is no accumulator.
    pub(super) fn accumulate(&mut self, op: BinOp, place: &sk::Expr, value: &sk::Expr) -> Option<Value> {
        let sk::Expr::Local(l) = place else {
            return None;
        };
        let Some(Binding::Alias(Value::Res { id, .. })) = self.bindings[*l as usize] else {
            return None;
        };
        let ResKind::Accumulator { .. } = self.resources[id.0].kind else {
            return None;
        };
        let value = self.expr(value);
        if matches!(value, Value::Never) {
            return Some(Value::Never);
        }
        let Some(tiles) = self.as_tiles(&value) else {
            let what = value.describe();
            return Some(self.fault(format!("{what} is added to an accumulator")));
        };
        if op != BinOp::Add {
            return Some(self.fault("an operation of an accumulator that does not add"));
        }
        if tiles.leaves.contains(&TileLeaf::Acc(id)) {
            return Some(self.fault("an accumulator is added to itself"));
        }
        let mut dag = Dag::default();
        dag.root = Some(dag.add(Node::Leaf(0)));
        let acc = Tiles { dag, leaves: vec![TileLeaf::Acc(id)], scalars: vec![], owned: vec![] };
        let sum = join(BinaryOp::Add, acc, tiles);
        let leaves = self.leaves(&sum.leaves);
        let scalars = sum.scalars.into_iter().map(|(_, word)| word).collect();
        self.op(Op::Accumulate(Box::new(Accumulate { dag: sum.dag, leaves, scalars })));
        for id in sum.owned {
            self.release_taken(id);
        }
        Some(Value::Unit)
    }
}

/// Gives the leaves without a shape that element-wise operations lead to one.
fn reshape(tiles: &mut Tiles, shape: &[Expr; 2]) {
    let Some(root) = tiles.dag.root else { return };
    let mut reached = vec![false; tiles.dag.nodes.len()];
    reached[root.0 as usize] = true;
    for at in (0..tiles.dag.nodes.len()).rev() {
        let node = tiles.dag.nodes[at];
        if reached[at] && node.is_elementwise() {
            for operand in node.operands() {
                reached[operand.0 as usize] = true;
            }
        }
    }
    let mut out =
        Tiles { dag: Dag::default(), leaves: vec![], scalars: std::mem::take(&mut tiles.scalars), owned: vec![] };
    let mut here: Vec<NodeId> = Vec::with_capacity(tiles.dag.nodes.len());
    for (node, reached) in tiles.dag.nodes.iter().zip(reached) {
        let node = match *node {
            Node::Leaf(n) => {
                let leaf = match &tiles.leaves[n as usize] {
                    TileLeaf::Front { front, shape: None } if reached => {
                        TileLeaf::Front { front: *front, shape: Some(shape.clone()) }
                    }
                    leaf => leaf.clone(),
                };
                let at = out.leaves.iter().position(|l| *l == leaf).unwrap_or_else(|| {
                    out.leaves.push(leaf);
                    out.leaves.len() - 1
                });
                Node::Leaf(at as u32)
            }
            node => node.map(|id| here[id.0 as usize]),
        };
        here.push(out.dag.add(node));
    }
    out.dag.root = Some(here[root.0 as usize]);
    out.owned = std::mem::take(&mut tiles.owned);
    *tiles = out;
}
