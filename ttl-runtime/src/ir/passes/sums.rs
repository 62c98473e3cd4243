//! Where accumulators are: in the tile registers, one section held from `zeros` to the store; or in L1, where the packer adds to them.
//!
//! They stay in the registers if nothing else needs these in between, and if the accumulator and what is computed for it fit. Else each value is computed
//! by itself and the packer adds it to a buffer of f32 tiles, which is read when the accumulator is stored.

use super::PassError;
use super::buffers::Buffers;
use super::expand::{constant, leaf_infos, mul};
use crate::arch::ComputeConfig;
use crate::ir::dag::{Dag, Node};
use crate::ir::schedule;
use crate::ir::{
    Block, Expr, ExprKind, Fn, FnId, For, Leaf, LocalId, Module, Op, Order, Role, Stmt, StmtKind, Store, Ty, visit,
};
use crate::ops::UnaryOp;
use crate::site::Site;
use crate::temps::{Place, TempKey};
use crate::tensor::format::DataFormat;
use std::collections::{BTreeMap, BTreeSet};

/// Decides for every accumulator of a compute kernel and writes what follows from it.
pub fn place(module: &mut Module, buffers: &Buffers, config: &ComputeConfig) -> Result<(), PassError> {
    if module.role != Role::Compute {
        return Ok(());
    }
    // One decision for all instances of a function: the native run knows an accumulator by its call and its size.
    let mut decided = Decided::default();
    for at in 0..module.fns.len() as u32 {
        decide(module, at, buffers, config, &mut decided)?;
    }
    for at in 0..module.fns.len() {
        let f = &mut module.fns[at];
        let mut made = BTreeSet::new();
        visit::each_stmt(&f.body, &mut |stmt| {
            if let StmtKind::Op(Op::Zeros { shape: [rows, cols], place }) = &stmt.kind
                && let Some(pages) = constant(&mul(rows.clone(), cols.clone()))
            {
                made.insert((*place, pages));
            }
        });
        let mut locals = BTreeMap::new();
        for (place, pages) in decided.in_l1.iter().copied().filter(|sum| made.contains(sum)) {
            let key = TempKey::Sum { place, pages };
            let local = f.temp(key).unwrap_or_else(|| {
                let local = f.add_local(&key.name(locals.len()), Ty::CbIn(DataFormat::F32));
                f.temps.push((key, local));
                local
            });
            locals.insert((place, pages), local);
        }
        let body = std::mem::take(&mut f.body);
        let mut rewriter = Rewriter { f, locals, written: &decided.written, registers: config.dst_tiles() };
        let body = rewriter.block(body);
        module.fns[at].body = body;
    }
    Ok(())
}

#[derive(Default)]
struct Decided {
    /// The accumulators that go to L1, with their sizes.
    in_l1: Vec<(Place, u32)>,
    /// Those that the vector unit reads: it must not read what was never written.
    written: BTreeSet<Place>,
}

fn decide(
    module: &Module,
    at: u32,
    buffers: &Buffers,
    config: &ComputeConfig,
    decided: &mut Decided,
) -> Result<(), PassError> {
    let f = module.function(FnId(at));
    let mut stmts: Vec<&Stmt> = Vec::new();
    visit::each_stmt(&f.body, &mut |stmt| stmts.push(stmt));
    for (from, stmt) in stmts.iter().enumerate() {
        let StmtKind::Op(Op::Zeros { shape: [rows, cols], place }) = &stmt.kind else { continue };
        let place = *place;
        let site = Site { file: f.file, line: stmt.line, column: 0 };
        let pages = constant(&mul(rows.clone(), cols.clone()));
        // From here to its store, in the order of the text.
        let mut stays = true;
        for later in &stmts[from + 1..] {
            let (dag, leaves, stored) = match &later.kind {
                StmtKind::Op(Op::Store(s)) if has(&s.leaves, place) => (&s.dag, &s.leaves, true),
                StmtKind::Op(Op::Accumulate(s)) if has(&s.leaves, place) => (&s.dag, &s.leaves, false),
                StmtKind::Op(Op::Store(_) | Op::Accumulate(_) | Op::Zeros { .. } | Op::Acquire) => {
                    stays = false;
                    continue;
                }
                _ => {
                    visit::stmt_calls(later, &mut |call| stays &= !computes(module, call.callee));
                    continue;
                }
            };
            let later_site = Site { file: f.file, line: later.line, column: 0 };
            let infos = leaf_infos(leaves, |cb| buffers.tile_format(module, at, cb), later_site)?;
            let schedule = schedule::schedule(dag, &infos, config);
            if let (false, Ok(s)) = (stored, &schedule)
                && s.parts.iter().any(|part| part.plan.reads_acc())
            {
                decided.written.insert(place);
            }
            let fits = match schedule {
                Ok(s) => match s.parts.as_slice() {
                    [part] => pages.is_none_or(|p| p <= part.plan.tiles_per_section),
                    [first, ..] => stored && first.plan.acc && pages.is_none_or(|p| p <= first.plan.tiles_per_section),
                    [] => false,
                },
                Err(_) => false,
            };
            stays &= fits;
            if stored {
                break;
            }
        }
        if !stays {
            let pages = pages.ok_or(PassError::AccUnknownSize { site })?;
            if !decided.in_l1.contains(&(place, pages)) {
                decided.in_l1.push((place, pages));
            }
        }
    }
    Ok(())
}

fn has(leaves: &[Leaf], place: Place) -> bool {
    leaves.iter().any(|l| matches!(l, Leaf::Acc { place: of, .. } if *of == place))
}

/// Whether a function or one that it calls uses tile registers.
fn computes(module: &Module, id: FnId) -> bool {
    let mut found = false;
    visit::each_stmt(&module.function(id).body, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Op(Op::Store(_) | Op::Acquire | Op::Zeros { .. }));
        visit::stmt_calls(stmt, &mut |call| found |= computes(module, call.callee));
    });
    found
}

struct Rewriter<'a> {
    f: &'a mut Fn,
    /// Buffers of the accumulators in L1.
    locals: BTreeMap<(Place, u32), LocalId>,
    written: &'a BTreeSet<Place>,
    registers: u32,
}

impl Rewriter<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Block::with_capacity(block.len());
        for stmt in block {
            let line = stmt.line;
            let kind = match stmt.kind {
                StmtKind::Op(op) => {
                    self.op(op, line, &mut out);
                    continue;
                }
                other => other.map_blocks(&mut |block| self.block(block)),
            };
            out.push(Stmt { line, kind });
        }
        out
    }

    fn local(&self, leaf: &Leaf) -> Option<(LocalId, Expr)> {
        let Leaf::Acc { shape: [rows, cols], place } = leaf else { return None };
        let pages = mul(rows.clone(), cols.clone());
        let local = *self.locals.get(&(*place, constant(&pages)?))?;
        Some((local, pages))
    }

    fn op(&mut self, op: Op, line: u32, out: &mut Block) {
        let mut push = |op| out.push(Stmt { line, kind: StmtKind::Op(op) });
        match op {
            Op::Zeros { shape, place } => match self.local(&Leaf::Acc { shape: shape.clone(), place }) {
                None => {
                    push(Op::Acquire);
                    if self.written.contains(&place) {
                        let [rows, cols] = shape;
                        self.fill(&mul(rows, cols), line, out);
                    }
                }
                Some((cb, pages)) => {
                    push(Op::ReserveBack { cb, pages: pages.clone() });
                    let pages = constant(&pages).unwrap_or(0);
                    self.zeros(cb, pages, line, out);
                }
            },
            Op::Accumulate(sum) => match sum.leaves.iter().find_map(|l| self.local(l)) {
                None => push(Op::Accumulate(sum)),
                Some((cb, pages)) => {
                    let dag = without_acc(&sum.dag, &sum.leaves);
                    let (leaves, scalars) = (sum.leaves, sum.scalars);
                    push(Op::Store(Box::new(Store { cb, pages, dag, leaves, scalars, acquired: false, adds: true })));
                }
            },
            Op::Store(mut store) => match store.leaves.iter().find_map(|l| self.local(l)) {
                None => push(Op::Store(store)),
                Some((cb, pages)) => {
                    for leaf in &mut store.leaves {
                        if let Leaf::Acc { shape, .. } = leaf {
                            *leaf = Leaf::Front { cb, shape: shape.clone() };
                        }
                    }
                    store.acquired = false;
                    push(Op::PushBack { cb, pages: pages.clone() });
                    push(Op::WaitFront { cb, pages: pages.clone() });
                    push(Op::Store(store));
                    push(Op::PopFront { cb, pages });
                }
            },
            op => push(op),
        }
    }

    /// Writes zeros to the registers.
    fn fill(&mut self, tiles: &Expr, line: u32, out: &mut Block) {
        let i = self.f.add_local("i", Ty::U32);
        let value = Expr { ty: Ty::F32, kind: ExprKind::F32(0.0) };
        let words = vec![Expr { ty: Ty::U32, kind: ExprKind::Bits(Box::new(value)) }];
        let fill = Op::Unary { op: UnaryOp::Fill, dst: Expr::local(i, Ty::U32), words };
        out.push(repeat(line, i, tiles.clone(), vec![Stmt { line, kind: StmtKind::Op(fill) }]));
    }

    /// Packs zeros. The packer would find zeros in registers that nothing was written to as well, but a section in which nothing is computed lets the
    /// packer get out of step: on a simulated Blackhole a later section lost its first tile.
    fn zeros(&mut self, cb: LocalId, pages: u32, line: u32, out: &mut Block) {
        let stmt = |kind| Stmt { line, kind };
        let section = |me: &mut Self, count: u32| {
            let i = me.f.add_local("i", Ty::U32);
            let pack = Op::PackTile { dst: Expr::local(i, Ty::U32), cb, index: None };
            let mut section = vec![stmt(StmtKind::Op(Op::Acquire))];
            me.fill(&Expr::u32(count), line, &mut section);
            section.push(stmt(StmtKind::Op(Op::Commit)));
            section.push(repeat(line, i, Expr::u32(count), vec![stmt(StmtKind::Op(pack))]));
            section.push(stmt(StmtKind::Op(Op::Release)));
            section
        };
        let (full, rest) = (pages / self.registers, pages % self.registers);
        if full > 0 {
            let body = section(self, self.registers);
            let local = self.f.add_local("section", Ty::U32);
            out.push(repeat(line, local, Expr::u32(full), body));
        }
        if rest > 0 {
            out.extend(section(self, rest));
        }
    }
}

fn repeat(line: u32, local: LocalId, end: Expr, body: Block) -> Stmt {
    let start = Expr::u32(0);
    let kind =
        StmtKind::For(Box::new(For { local, start, end, inclusive: false, order: Order::Forward, step: 1, body }));
    Stmt { line, kind }
}

/// The value that is added: the other operand of the sum that is the root.
fn without_acc(dag: &Dag, leaves: &[Leaf]) -> Dag {
    let mut out = dag.clone();
    let acc = |node: Node| matches!(node, Node::Leaf(l) if matches!(leaves.get(l as usize), Some(Leaf::Acc { .. })));
    if let Some(root) = dag.root
        && let Node::Binary(_, a, b, _) = dag.node(root)
    {
        out.root = Some(if acc(dag.node(a)) { b } else { a });
    }
    out
}
