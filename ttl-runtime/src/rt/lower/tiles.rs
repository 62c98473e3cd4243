//! Block expressions: from syntax to DAGs.

use super::Lower;
use super::value::{ResId, ResKind, TileBlock, TileLeaf, Tiles, Value};
use crate::ir::dag::{Dag, Node};
use crate::ir::{self, BinOp, Expr, ExprKind, Leaf, LocalId, Op, Store, Ty};
use ttl_skeleton as sk;

impl Lower<'_> {
    /// The value as a block expression; `None` if it is none.
    pub(super) fn as_tiles(&mut self, value: &Value) -> Option<Tiles> {
        match value {
            Value::Tiles(t) => Some(t.clone()),
            Value::Res { id, by_ref } => {
                let leaf = match self.resources[id.0].kind {
                    ResKind::Front { .. } => TileLeaf::Front(*id),
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

    /// `reserved.store(value)`.
    pub(super) fn store(&mut self, out: ResId, value: Value) -> Value {
        let ResKind::Reserved { cb, pages, .. } = self.resources[out.0].kind.clone() else {
            return self.refuse("only a reserved block can be stored to", "reserve pages with `y.reserve_back(n)`");
        };
        if let Value::Matmul { a, b } = value {
            return self.store_product(cb, pages, a, b);
        }
        let Some(tiles) = self.as_tiles(&value) else {
            let what = value.describe();
            return self.refuse(
                format!("{what} cannot be stored to a block of tiles"),
                "store tiles of waited blocks, an expression over them, or an accumulator",
            );
        };
        self.consume(&tiles);
        let mut leaves = vec![];
        let mut acquired = false;
        let mut acc_pages = None;
        for leaf in &tiles.leaves {
            match *leaf {
                TileLeaf::Front(id) => leaves.push(self.front_leaf(id)),
                TileLeaf::Acc(id) => {
                    acquired = true;
                    if let ResKind::Accumulator { rows, cols } = &self.resources[id.0].kind {
                        acc_pages = Some(product(rows, cols));
                    }
                    leaves.push(Leaf::Acc);
                }
            }
        }
        // A guard that is a parameter does not know its pages; its operands do.
        let known = pages.or(acc_pages).or_else(|| {
            leaves.iter().find_map(|l| match l {
                Leaf::Front { pages, .. } if pages.ty != Ty::Never => Some(pages.clone()),
                _ => None,
            })
        });
        let Some(pages) = known else {
            return self.refuse(
                "the number of tiles to store is not known here",
                "wait for the operands or reserve the result in this function",
            );
        };
        for leaf in &mut leaves {
            if let Leaf::Front { pages: p, .. } = leaf
                && p.ty == Ty::Never
            {
                *p = pages.clone();
            }
        }
        let scalars = tiles.scalars.into_iter().map(|(_, word)| word).collect();
        self.op(Op::Store(Box::new(Store { cb, pages, dag: tiles.dag, leaves, scalars, acquired })));
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

    fn release_taken(&mut self, id: ResId) {
        if !matches!(self.resources[id.0].kind, ResKind::Accumulator { .. }) {
            self.release(id);
        }
    }

    fn front_leaf(&self, id: ResId) -> Leaf {
        match &self.resources[id.0].kind {
            ResKind::Front { cb, pages, .. } => {
                Leaf::Front { cb: *cb, pages: pages.clone().unwrap_or(Expr { ty: Ty::Never, kind: ExprKind::Int(0) }) }
            }
            _ => Leaf::Acc,
        }
    }

    /// `y.store(a.matmul(b))`: one product without a loop.
    fn store_product(&mut self, cb: LocalId, pages: Option<Expr>, a: TileBlock, b: TileBlock) -> Value {
        let size = product(&a.rows, &b.cols);
        self.op(Op::Acquire);
        self.matmul_acc(&a, &b);
        let mut dag = Dag::default();
        dag.root = Some(dag.add(Node::Leaf(0)));
        self.op(Op::Store(Box::new(Store {
            cb,
            pages: pages.unwrap_or(size),
            dag,
            leaves: vec![Leaf::Acc],
            scalars: vec![],
            acquired: true,
        })));
        Value::Unit
    }

    fn matmul_acc(&mut self, a: &TileBlock, b: &TileBlock) {
        let (Some(ca), Some(cb)) = (self.front_cb(a.front), self.front_cb(b.front)) else {
            return;
        };
        self.op(Op::MatmulAcc { a: ca, b: cb, rt: a.rows.clone(), kt: a.cols.clone(), ct: b.cols.clone() });
    }

    fn front_cb(&self, id: ResId) -> Option<LocalId> {
        match &self.resources[id.0].kind {
            ResKind::Front { cb, .. } => Some(*cb),
            _ => None,
        }
    }

    /// `acc += a.matmul(b)`; `None` if the place is no accumulator.
    pub(super) fn accumulate(&mut self, op: BinOp, place: &sk::Expr, value: &sk::Expr) -> Option<Value> {
        let sk::Expr::Local(l) = place else {
            return None;
        };
        let Some(super::value::Binding::Alias(Value::Res { id, .. })) = self.bindings[*l as usize] else {
            return None;
        };
        let ResKind::Accumulator { rows, cols } = self.resources[id.0].kind.clone() else {
            return None;
        };
        let value = self.expr(value);
        let Value::Matmul { a, b } = value else {
            let what = value.describe();
            return Some(self.refuse(
                format!("{what} cannot be added to an accumulator"),
                "add matrix products: `acc += a.block(r, k).matmul(b.block(k, c))`",
            ));
        };
        if op != BinOp::Add {
            return Some(self.refuse("an accumulator only adds", "write `acc += a.matmul(b)`"));
        }
        if let (Some(r), Some(c), Some(ar), Some(bc)) = (int(&rows), int(&cols), int(&a.rows), int(&b.cols))
            && (r, c) != (ar, bc)
        {
            return Some(self.refuse(
                format!("a product of {ar}x{bc} tiles is added to an accumulator of {r}x{c}"),
                "make `zeros(rows, cols)` the rows of the left and the columns of the right block",
            ));
        }
        self.matmul_acc(&a, &b);
        Some(Value::Unit)
    }

    pub(super) fn matmul(&mut self, a: TileBlock, b: Value) -> Value {
        let Value::Block(b) = b else {
            return self.refuse("`matmul` needs two blocks", "write `a.block(r, k).matmul(b.block(k, c))`");
        };
        if let (Some(k), Some(rows)) = (int(&a.cols), int(&b.rows))
            && k != rows
        {
            return self.refuse(
                format!("the left block has {k} columns of tiles, the right one {rows} rows"),
                "the inner sizes of a matrix product must be equal",
            );
        }
        Value::Matmul { a, b }
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
