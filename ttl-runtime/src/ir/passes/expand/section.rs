//! One section of tile registers: every step of a plan for some tiles of a block.

use super::sizes::{Sizes, add, constant, mul};
use super::{Expander, product};
use crate::ir::fuse::{Plan, Step};
use crate::ir::schedule::Schedule;
use crate::ir::{Block, Expr, Leaf, LocalId, Op, TileOp};
use crate::ops::{ReduceDim, TileCall};

/// What a part of an expression reads and writes.
pub(super) struct Places<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) plan: &'a Plan,
    pub(super) leaves: &'a [Leaf],
    pub(super) scalars: &'a [Expr],
    pub(super) sizes: &'a Sizes,
    /// Rows and columns of the part's block.
    pub(super) rows: Expr,
    pub(super) cols: Expr,
    /// Where the result goes.
    pub(super) to: LocalId,
    /// Intermediate buffers, by number.
    pub(super) temps: &'a [LocalId],
    /// Pages are packed by their index: the section's tiles do not follow each other.
    pub(super) scattered: bool,
    /// The packer adds to the pages, by their index.
    pub(super) adds: bool,
}

/// Tiles of a block that one section holds: rows `r..r + nr` and columns `c..c + nc`.
#[derive(Clone)]
pub(super) struct Area {
    pub(super) r: Expr,
    pub(super) nr: Expr,
    pub(super) c: Expr,
    pub(super) nc: Expr,
}

/// A tile of the section: its place in the block, and its number in the section.
pub(super) struct At {
    row: Expr,
    col: Expr,
    tile: Expr,
    i: Expr,
}

impl Places<'_> {
    fn buffer(&self, leaf: u32) -> LocalId {
        match self.schedule.temp(leaf) {
            Some(temp) => self.temps[temp as usize],
            None => match self.leaves.get(leaf as usize) {
                Some(Leaf::Front { cb, .. }) => *cb,
                // The planner reads only leaves that are in buffers.
                _ => self.to,
            },
        }
    }

    fn leaf_size(&self, leaf: u32) -> [Expr; 2] {
        self.sizes.of(self.schedule.leaf_shape(leaf))
    }

    fn register(&self, slot: u32, i: &Expr) -> Expr {
        let (stride, offset) = self.plan.register_terms(slot);
        add(mul(i.clone(), Expr::u32(stride)), Expr::u32(offset))
    }
}

impl Expander<'_> {
    /// Acquire, all steps, commit, packs, release.
    pub(super) fn section(&mut self, places: &Places<'_>, area: &Area, acquired: bool) -> Block {
        let mut out = Block::new();
        if !acquired {
            out.push(self.op(Op::Acquire));
        }
        self.steps(places, area, &mut out);
        out.push(self.op(Op::Commit));
        let code = self.each_tile(places, area, places.scattered, |me, at| {
            let dst = places.register(places.plan.result_slot, &at.i);
            if places.adds {
                return vec![me.op(Op::Tile(TileOp::pack_acc(dst, places.to, at.tile)))];
            }
            let index = places.scattered.then(|| at.tile.clone());
            vec![me.op(Op::PackTile { dst, cb: places.to, index })]
        });
        out.extend(code);
        out.push(self.op(Op::Release));
        out
    }

    pub(super) fn steps(&mut self, places: &Places<'_>, area: &Area, out: &mut Block) {
        for step in &places.plan.steps {
            let code = match *step {
                Step::Matmul { a, b } => self.product(places, area, a, b),
                step => {
                    let by_place = step.is_shaped() || places.scattered;
                    self.each_tile(places, area, by_place, |me, at| me.step(places, step, &at))
                }
            };
            out.extend(code);
        }
    }

    /// A loop over the tiles of a section; over rows and columns if the place of each matters and it is in both directions.
    fn each_tile(
        &mut self,
        places: &Places<'_>,
        area: &Area,
        by_place: bool,
        body: impl FnOnce(&mut Self, At) -> Block,
    ) -> Block {
        let one = |e: &Expr| constant(e) == Some(1);
        let Area { r, nr, c, nc } = area.clone();
        let first = add(mul(r.clone(), places.cols.clone()), c.clone());
        if one(&nr) {
            return self.repeat("i", &nc, |me, i| {
                let at = At { row: r, col: add(c, i.clone()), tile: add(first, i.clone()), i };
                body(me, at)
            });
        }
        if one(&nc) && one(&places.cols) {
            return self.repeat("i", &nr, |me, i| {
                let at = At { row: add(r, i.clone()), col: c, tile: add(first, i.clone()), i };
                body(me, at)
            });
        }
        if !by_place {
            return self.repeat("i", &product(&nr, &nc), |me, i| {
                let at = At { row: Expr::u32(0), col: Expr::u32(0), tile: add(first, i.clone()), i };
                body(me, at)
            });
        }
        let cols = places.cols.clone();
        self.repeat("r", &nr.clone(), |me, ri| {
            let count = nc.clone();
            me.repeat("c", &count, |me, ci| {
                let row = add(r, ri.clone());
                let col = add(c, ci.clone());
                let at = At { tile: add(mul(row.clone(), cols), col.clone()), row, col, i: add(mul(ri, nc), ci) };
                body(me, at)
            })
        })
    }

    fn step(&mut self, places: &Places<'_>, step: Step, at: &At) -> Block {
        let reg = |slot| places.register(slot, &at.i);
        let tile = || at.tile.clone();
        let words = |words: crate::ir::dag::Words| places.scalars.get(words.range()).unwrap_or_default().to_vec();
        let op = match step {
            Step::Copy { leaf, slot } => Op::CopyTile { cb: places.buffer(leaf), tile: tile(), dst: reg(slot) },
            Step::Fpu { op, a, b, slot } => {
                Op::BinaryTiles { op, a: places.buffer(a), b: places.buffer(b), ia: tile(), ib: tile(), dst: reg(slot) }
            }
            Step::ReuseDest { op, reversed, leaf, slot } => {
                Op::ReuseDest { op, reversed, cb: places.buffer(leaf), tile: tile(), dst: reg(slot) }
            }
            Step::Unary { op, slot, words: w } => Op::Unary { op, dst: reg(slot), words: words(w) },
            Step::Ternary { op, operands, out, words: w } => {
                Op::TernaryRegs { op, operands: operands.map(reg), dst: reg(out), words: words(w) }
            }
            Step::Regs { op, a, b, out, words: w } => {
                Op::BinaryRegs { op, a: reg(a), b: reg(b), dst: reg(out), words: words(w) }
            }
            Step::CopyRegs { from, to } => Op::CopyRegs { src: reg(from), dst: reg(to) },
            Step::CopyBcast { bcast, leaf, slot } => {
                let operands = [at.of_vector(bcast), reg(slot)];
                Op::Tile(TileOp::unary(TileCall::UnaryBcast(bcast), places.buffer(leaf), operands))
            }
            Step::FpuBcast { op, bcast, a, b, slot } => {
                let cbs = [places.buffer(a), places.buffer(b)];
                Op::Tile(TileOp::bcast(op, bcast, cbs, [tile(), at.of_vector(bcast), reg(slot)]))
            }
            Step::Transpose { leaf, slot } => {
                let index = add(mul(at.col.clone(), places.rows.clone()), at.row.clone());
                Op::Tile(TileOp::unary(TileCall::Transpose, places.buffer(leaf), [index, reg(slot)]))
            }
            Step::Reduce { pool, dim, leaf, slot, wide } => {
                let [rows, cols] = places.leaf_size(leaf);
                let scaler = self.scaler(pool, dim, [&rows, &cols], wide);
                let count = match dim {
                    ReduceDim::Row => cols.clone(),
                    ReduceDim::Col => rows,
                    ReduceDim::Scalar => product(&rows, &cols),
                };
                let (cb, dst) = (places.buffer(leaf), reg(slot));
                return self.repeat("k", &count, |me, k| {
                    let index = match dim {
                        ReduceDim::Row => add(mul(at.row.clone(), cols), k),
                        ReduceDim::Col => add(mul(k, cols), at.col.clone()),
                        ReduceDim::Scalar => k,
                    };
                    vec![me.op(Op::Tile(TileOp::reduce(pool, dim, [cb, scaler], [index, Expr::u32(0), dst])))]
                });
            }
            // Of the whole section.
            Step::Matmul { .. } => return Block::new(),
        };
        vec![self.op(op)]
    }

    /// The product of two leaves, added to slot 0 of the section's tiles.
    fn product(&mut self, places: &Places<'_>, area: &Area, a: u32, b: u32) -> Block {
        let [_, kt] = places.leaf_size(a);
        let (a, b) = (places.buffer(a), places.buffer(b));
        let Area { r, nr: rt, c, nc: ct } = area.clone();
        let single = constant(&rt) == Some(1) && constant(&ct) == Some(1);
        self.repeat("k", &kt.clone(), |me, k| {
            let dst = Expr::u32(0);
            let ia = add(mul(r, kt.clone()), k.clone());
            let ib = add(mul(k, places.cols.clone()), c);
            vec![me.op(if single {
                Op::MatmulTiles { a, b, ia, ib, dst }
            } else {
                Op::MatmulBlock { a, b, transposed: false, ia, ib, dst, ct, rt, kt }
            })]
        })
    }
}

impl At {
    /// The tile of a vector that is broadcast to here.
    fn of_vector(&self, bcast: crate::ops::Bcast) -> Expr {
        match bcast {
            crate::ops::Bcast::Row => self.col.clone(),
            crate::ops::Bcast::Col => self.row.clone(),
            crate::ops::Bcast::Scalar => Expr::u32(0),
        }
    }
}
