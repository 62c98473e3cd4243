//! Block expressions: from syntax to DAGs.

use super::Lower;
use super::value::{ResId, ResKind, TileLeaf, Tiles, Value};
use crate::ir::dag::{Dag, Node};
use crate::ir::{self, BinOp, Expr, ExprKind, Leaf, Op, Store, Ty};

impl Lower<'_> {
    /// The value as a block expression; `None` if it is none.
    pub(super) fn as_tiles(&mut self, value: &Value) -> Option<Tiles> {
        match value {
            Value::Tiles(t) => Some(t.clone()),
            Value::Res { id, by_ref } => {
                let leaf = match self.resources[id.0].kind {
                    ResKind::Front { .. } => TileLeaf::Front { front: *id, shape: None },
                    ResKind::Accumulator { .. } => TileLeaf::Acc(*id),
                    _ => return None,
                };
                let mut dag = Dag::default();
                dag.root = Some(dag.add(Node::Leaf(0)));
                let owned = if *by_ref { vec![] } else { vec![*id] };
                Some(Tiles { dag, leaves: vec![leaf], scalars: vec![], owned })
            }
            _ => None,
        }
    }

    /// The receiver of a method as a block expression: a waited block is borrowed.
    pub(super) fn receiver_tiles(&mut self, value: &Value) -> Option<Tiles> {
        match value {
            Value::Res { id, .. } if matches!(self.resources[id.0].kind, ResKind::Front { .. }) => {
                self.as_tiles(&Value::Res { id: *id, by_ref: true })
            }
            _ => self.as_tiles(value),
        }
    }

    /// `reserved.store(value)`.
    pub(super) fn store(&mut self, out: ResId, value: Value) -> Value {
        let ResKind::Reserved { cb, pages, .. } = self.resources[out.0].kind.clone() else {
            return self.fault("a store to a block that is not reserved");
        };
        if matches!(value, Value::Never) {
            return Value::Never;
        }
        let Some(tiles) = self.as_tiles(&value) else {
            let what = value.describe();
            return self.fault(format!("{what} is stored to a block of tiles"));
        };
        self.consume(&tiles);
        let acquired = tiles.leaves.iter().any(|l| matches!(l, TileLeaf::Acc(_)));
        let mut leaves = self.leaves(&tiles.leaves);
        // A guard that is a parameter does not know its pages; its operands do.
        let known = pages.or_else(|| {
            let sizes = leaves.iter().find(|l| l.shape()[1].ty != Ty::Never).map(Leaf::shape);
            let plain =
                tiles.dag.nodes.iter().all(|n| n.is_elementwise() || matches!(n, Node::Leaf(_) | Node::Create(..)));
            sizes.filter(|_| plain || acquired).map(|[rows, cols]| product(rows, cols))
        });
        let Some(pages) = known else {
            return self.refuse(
                "the number of tiles to store is not known here",
                "wait for the operands or reserve the result in this function",
            );
        };
        for leaf in &mut leaves {
            if let Leaf::Front { shape: [_, cols], .. } = leaf
                && cols.ty == Ty::Never
            {
                *cols = pages.clone();
            }
        }
        let scalars = tiles.scalars.into_iter().map(|(_, word)| word).collect();
        self.op(Op::Store(Box::new(Store { cb, pages, dag: tiles.dag, leaves, scalars, acquired, adds: false })));
        for id in tiles.owned {
            self.release_taken(id);
        }
        Value::Unit
    }

    /// The accumulators of an expression are used up; owned guards stay live until after the store.
    fn consume(&mut self, tiles: &Tiles) {
        for leaf in &tiles.leaves {
            if let TileLeaf::Acc(id) = leaf {
                self.moved(*id);
            }
        }
    }

    pub(super) fn release_taken(&mut self, id: ResId) {
        if !matches!(self.resources[id.0].kind, ResKind::Accumulator { .. }) {
            self.release(id);
        }
    }

    /// What the leaves stand for. The columns of a block whose pages are not known here have the type `Never`.
    pub(super) fn leaves(&self, leaves: &[TileLeaf]) -> Vec<Leaf> {
        let unknown = || Expr { ty: Ty::Never, kind: ExprKind::Int(0) };
        leaves
            .iter()
            .filter_map(|leaf| match leaf {
                TileLeaf::Acc(id) => match &self.resources[id.0].kind {
                    ResKind::Accumulator { rows, cols, place } => {
                        Some(Leaf::Acc { shape: [rows.clone(), cols.clone()], place: *place })
                    }
                    _ => None,
                },
                TileLeaf::Front { front, shape } => match &self.resources[front.0].kind {
                    ResKind::Front { cb, pages } => {
                        let row = || [Expr::u32(1), pages.clone().unwrap_or_else(unknown)];
                        Some(Leaf::Front { cb: *cb, shape: shape.clone().unwrap_or_else(row) })
                    }
                    _ => None,
                },
            })
            .collect()
    }
}

pub(super) fn int(e: &Expr) -> Option<i64> {
    match e.kind {
        ExprKind::Int(v) => Some(v),
        _ => None,
    }
}

pub(super) fn product(a: &Expr, b: &Expr) -> Expr {
    match (int(a), int(b)) {
        (Some(a), Some(b)) => Expr { ty: Ty::U32, kind: ExprKind::Int(a * b) },
        (Some(1), _) => b.clone(),
        (_, Some(1)) => a.clone(),
        _ => ir::Expr { ty: Ty::U32, kind: ExprKind::Binary(BinOp::Mul, Box::new(a.clone()), Box::new(b.clone())) },
    }
}
