//! Block stores and matrix products as explicit tile operations.
//!
//! A store of `n` tiles becomes sections of as many tiles as fit in the registers; a section does one step of the plan for all its tiles,
//! then the next, so that each init runs once per section at most. Counts known at compile time give loops with constant bounds,
//! and straight code for one tile; others a loop over full sections and a section for the rest.

use super::PassError;
use super::buffers::{Buffers, TileFormat};
use crate::arch::ComputeConfig;
use crate::ir::dag::Words;
use crate::ir::fuse::{self, LeafInfo, Plan, Step};
use crate::ir::{
    BinOp, Block, Expr, ExprKind, Fn, FnId, For, Leaf, LocalId, Module, Op, Order, Stmt, StmtKind, Store, Ty, visit,
};
use crate::site::Site;
use std::collections::BTreeSet;

pub fn expand(module: &mut Module, buffers: &Buffers, config: &ComputeConfig) -> Result<(), PassError> {
    for at in 0..module.fns.len() as u32 {
        let body = std::mem::take(&mut module.fns[at as usize].body);
        let formats: Vec<Option<TileFormat>> = (0..module.function(FnId(at)).locals.len() as u32)
            .map(|l| buffers.tile_format(module, at, LocalId(l)))
            .collect();
        let mut expander = Expander {
            assigned: visit::assigned_locals(&body),
            function: &mut module.fns[at as usize],
            formats,
            config,
            line: 0,
        };
        let body = expander.block(body)?;
        module.fns[at as usize].body = body;
    }
    Ok(())
}

struct Expander<'a> {
    function: &'a mut Fn,
    formats: Vec<Option<TileFormat>>,
    config: &'a ComputeConfig,
    /// Locals whose value may change.
    assigned: BTreeSet<LocalId>,
    line: u32,
}

impl Expander<'_> {
    fn block(&mut self, block: Block) -> Result<Block, PassError> {
        let mut out = Vec::with_capacity(block.len());
        for stmt in block {
            self.line = stmt.line;
            let kind = match stmt.kind {
                StmtKind::Op(Op::Store(store)) => {
                    self.store(&store, &mut out)?;
                    continue;
                }
                StmtKind::Op(Op::MatmulAcc { a, b, rt, kt, ct }) => {
                    self.matmul(a, b, [rt, kt, ct], &mut out)?;
                    continue;
                }
                StmtKind::If { cond, then, els } => {
                    StmtKind::If { cond, then: self.block(then)?, els: self.block(els)? }
                }
                StmtKind::While { cond, body } => StmtKind::While { cond, body: self.block(body)? },
                StmtKind::Loop { body } => StmtKind::Loop { body: self.block(body)? },
                StmtKind::For(mut l) => {
                    l.body = self.block(l.body)?;
                    StmtKind::For(l)
                }
                StmtKind::Block(body) => StmtKind::Block(self.block(body)?),
                other => other,
            };
            let line = stmt.line;
            out.push(Stmt { line, kind });
        }
        Ok(out)
    }

    fn site(&self) -> Site {
        Site { file: self.function.file, line: self.line, column: 0 }
    }

    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt { line: self.line, kind }
    }

    fn op(&self, op: Op) -> Stmt {
        self.stmt(StmtKind::Op(op))
    }

    /// `expr` itself if it may be written several times, else a constant that holds it.
    fn bind(&mut self, name: &str, expr: &Expr, out: &mut Block) -> Expr {
        let simple = match expr.kind {
            ExprKind::Int(_) => true,
            ExprKind::Local(l) => !self.assigned.contains(&l),
            _ => false,
        };
        if simple {
            return expr.clone();
        }
        let local = self.function.add_local(name, Ty::U32);
        out.push(self.stmt(StmtKind::Let { local, init: Some(expr.clone()) }));
        Expr::local(local, Ty::U32)
    }

    /// `for name in 0..count { body(name) }`, or just the body for one round.
    fn repeat(&mut self, name: &str, count: &Expr, body: impl FnOnce(&mut Self, Expr) -> Block) -> Block {
        if count.as_u32() == Some(1) {
            return body(self, Expr::u32(0));
        }
        let local = self.function.add_local(name, Ty::U32);
        let body = body(self, Expr::local(local, Ty::U32));
        vec![self.stmt(StmtKind::For(Box::new(For {
            local,
            start: Expr::u32(0),
            end: count.clone(),
            inclusive: false,
            order: Order::Forward,
            step: 1,
            body,
        })))]
    }

    fn store(&mut self, store: &Store, out: &mut Block) -> Result<(), PassError> {
        let site = self.site();
        let mut leaves = Vec::with_capacity(store.leaves.len());
        for leaf in &store.leaves {
            leaves.push(match leaf {
                Leaf::Acc => LeafInfo::Acc,
                Leaf::Front { cb, .. } => match self.formats.get(cb.0 as usize).copied().flatten() {
                    Some(TileFormat { format, to_dest }) => LeafInfo::Front { format, to_dest },
                    None => {
                        let message = "an operand is not a circular buffer".to_owned();
                        return Err(PassError::Internal { site, message });
                    }
                },
            });
        }
        let plan = fuse::plan(&store.dag, &leaves, self.config).map_err(|error| PassError::Plan { site, error })?;
        let section = plan.tiles_per_section;
        match store.pages.as_u32() {
            Some(tiles) if store.acquired => {
                self.fits(tiles, &plan)?;
                let code = self.section(store, &plan, &Expr::u32(0), &Expr::u32(tiles));
                out.extend(code);
            }
            Some(tiles) => self.known_count(store, &plan, tiles, out),
            None if store.acquired => {
                let tiles = self.bind("tiles", &store.pages, out);
                let code = self.section(store, &plan, &Expr::u32(0), &tiles);
                out.extend(code);
            }
            None => {
                let tiles = self.bind("tiles", &store.pages, out);
                if section == 1 {
                    let one = Expr::u32(1);
                    let code = self.repeat("i", &tiles, |me, i| me.section(store, &plan, &i, &one));
                    out.extend(code);
                } else {
                    self.unknown_count(store, &plan, &tiles, out);
                }
            }
        }
        Ok(())
    }

    fn fits(&self, tiles: u32, plan: &Plan) -> Result<(), PassError> {
        if tiles <= plan.tiles_per_section {
            return Ok(());
        }
        Err(PassError::AccTooLarge {
            site: self.site(),
            tiles,
            available: plan.tiles_per_section,
            registers: self.config.dst_tiles(),
            slots: plan.slots_per_tile,
        })
    }

    fn known_count(&mut self, store: &Store, plan: &Plan, tiles: u32, out: &mut Block) {
        let section = plan.tiles_per_section;
        let (full, rest) = (tiles / section * section, tiles % section);
        if full > section {
            let first = self.function.add_local("first", Ty::U32);
            let start = Expr::local(first, Ty::U32);
            let body = self.section(store, plan, &start, &Expr::u32(section));
            out.push(self.stmt(StmtKind::For(Box::new(For {
                local: first,
                start: Expr::u32(0),
                end: Expr::u32(full),
                inclusive: false,
                order: Order::Forward,
                step: u64::from(section),
                body,
            }))));
        } else if full == section {
            let code = self.section(store, plan, &Expr::u32(0), &Expr::u32(section));
            out.extend(code);
        }
        if rest > 0 {
            let code = self.section(store, plan, &Expr::u32(full), &Expr::u32(rest));
            out.extend(code);
        }
    }

    fn unknown_count(&mut self, store: &Store, plan: &Plan, tiles: &Expr, out: &mut Block) {
        let section = Expr::u32(plan.tiles_per_section);
        let full = Expr::binary(BinOp::Div, tiles.clone(), section.clone());
        let full = self.bind("sections", &full, out);
        let sections = self.repeat("section", &full, |me, at| {
            let mut body = Block::new();
            let first = me.bind("first", &mul(at, section.clone()), &mut body);
            body.extend(me.section(store, plan, &first, &section));
            body
        });
        out.extend(sections);
        let rest = self.bind("rest", &Expr::binary(BinOp::Rem, tiles.clone(), section), out);
        let mut then = Block::new();
        let first = Expr::binary(BinOp::Sub, tiles.clone(), rest.clone());
        let first = self.bind("first", &first, &mut then);
        then.extend(self.section(store, plan, &first, &rest));
        let cond = Expr { ty: Ty::Bool, kind: ExprKind::Binary(BinOp::Gt, Box::new(rest), Box::new(Expr::u32(0))) };
        out.push(self.stmt(StmtKind::If { cond, then, els: Block::new() }));
    }

    /// Tiles `first..first + count` from acquire to release.
    fn section(&mut self, store: &Store, plan: &Plan, first: &Expr, count: &Expr) -> Block {
        let mut out = Block::new();
        if !store.acquired {
            out.push(self.op(Op::Acquire));
        }
        for step in &plan.steps {
            let code = self.repeat("i", count, |me, i| vec![me.op(step_op(store, plan, *step, first, &i))]);
            out.extend(code);
        }
        out.push(self.op(Op::Commit));
        let code = self.repeat("i", count, |me, i| {
            vec![me.op(Op::PackTile { dst: register(plan, plan.result_slot, &i), cb: store.cb, index: None })]
        });
        out.extend(code);
        out.push(self.op(Op::Release));
        out
    }

    fn matmul(&mut self, a: LocalId, b: LocalId, [rt, kt, ct]: [Expr; 3], out: &mut Block) -> Result<(), PassError> {
        if let (Some(r), Some(c)) = (rt.as_u32(), ct.as_u32()) {
            let registers = self.config.dst_tiles();
            if r.checked_mul(c).is_none_or(|tiles| tiles > registers) {
                return Err(PassError::AccTooLarge {
                    site: self.site(),
                    tiles: r.saturating_mul(c),
                    available: registers,
                    registers,
                    slots: 1,
                });
            }
        }
        let single = rt.as_u32() == Some(1) && ct.as_u32() == Some(1);
        let rt = self.bind("rt", &rt, out);
        let kt = self.bind("kt", &kt, out);
        let ct = self.bind("ct", &ct, out);
        let code = self.repeat("k", &kt, |me, k| {
            let dst = Expr::u32(0);
            vec![me.op(if single {
                let (ia, ib) = (k.clone(), k);
                Op::MatmulTiles { a, b, ia, ib, dst }
            } else {
                Op::MatmulBlock {
                    a,
                    b,
                    ia: k.clone(),
                    ib: mul(k, ct.clone()),
                    dst,
                    ct: ct.clone(),
                    rt: rt.clone(),
                    kt: kt.clone(),
                }
            })]
        });
        out.extend(code);
        Ok(())
    }
}

fn step_op(store: &Store, plan: &Plan, step: Step, first: &Expr, i: &Expr) -> Op {
    let reg = |slot| register(plan, slot, i);
    let tile = || add(first.clone(), i.clone());
    let buffer = |leaf: u32| match store.leaves.get(leaf as usize) {
        Some(Leaf::Front { cb, .. }) => *cb,
        // The planner reads only leaves that are in buffers.
        _ => store.cb,
    };
    let scalars = |words: Words| store.scalars.get(words.range()).unwrap_or_default().to_vec();
    match step {
        Step::Copy { leaf, slot } => Op::CopyTile { cb: buffer(leaf), tile: tile(), dst: reg(slot) },
        Step::Fpu { op, a, b, slot } => {
            Op::BinaryTiles { op, a: buffer(a), b: buffer(b), ia: tile(), ib: tile(), dst: reg(slot) }
        }
        Step::ReuseDest { op, reversed, leaf, slot } => {
            Op::ReuseDest { op, reversed, cb: buffer(leaf), tile: tile(), dst: reg(slot) }
        }
        Step::Unary { op, slot, words } => Op::Unary { op, dst: reg(slot), words: scalars(words) },
        Step::Ternary { op, operands, out, words } => {
            Op::TernaryRegs { op, operands: operands.map(reg), dst: reg(out), words: scalars(words) }
        }
        Step::Regs { op, a, b, out } => Op::BinaryRegs { op, a: reg(a), b: reg(b), dst: reg(out) },
        Step::CopyRegs { from, to } => Op::CopyRegs { src: reg(from), dst: reg(to) },
    }
}

fn register(plan: &Plan, slot: u32, tile: &Expr) -> Expr {
    let (stride, offset) = plan.register_terms(slot);
    add(mul(tile.clone(), Expr::u32(stride)), Expr::u32(offset))
}

/// `a + b` without what a reader would not write.
fn add(a: Expr, b: Expr) -> Expr {
    match (a.as_u32(), b.as_u32()) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(x), Some(y)) if x.checked_add(y).is_some() => Expr::u32(x + y),
        _ => Expr::binary(BinOp::Add, a, b),
    }
}

fn mul(a: Expr, b: Expr) -> Expr {
    match (a.as_u32(), b.as_u32()) {
        (Some(0), _) | (_, Some(1)) => a,
        (_, Some(0)) | (Some(1), _) => b,
        (Some(x), Some(y)) if x.checked_mul(y).is_some() => Expr::u32(x * y),
        _ => Expr::binary(BinOp::Mul, a, b),
    }
}
