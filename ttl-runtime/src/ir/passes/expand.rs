//! Block stores and matrix products as explicit tile operations.
//!
//! A store becomes the parts of its [`schedule`], each a block of tiles; a block becomes sections of as many tiles as fit in the registers;
//! a section does one step of the plan for all its tiles, then the next, so that each init runs once per section at most. Sizes known at
//! compile time give loops with constant bounds, and straight code for one tile; others a loop over full sections and a section for the rest.
//!
//! - `blocks`: how many sections, and what is in each;
//! - `section`: the steps of one section;
//! - `scalers`: the tiles that reductions multiply by;
//! - `sizes`: sides of blocks as expressions.

mod blocks;
mod scalers;
mod section;
mod sizes;

use super::PassError;
use super::buffers::{Buffers, TileFormat};
use crate::arch::ComputeConfig;
use crate::ir::fuse::LeafInfo;
use crate::ir::schedule::{self, Schedule};
use crate::ir::shape::mistake;
use crate::ir::{
    Accumulate, Block, Expr, ExprKind, Fn, FnId, For, Leaf, LocalId, Module, Op, Order, Stmt, StmtKind, Store, Ty,
    visit,
};
use crate::site::Site;
use crate::temps::{self, Scaler, TempKey};
use section::Places;
use sizes::Sizes;
pub(crate) use sizes::{add, constant, mul};
use std::collections::BTreeSet;

pub fn expand(module: &mut Module, buffers: &Buffers, config: &ComputeConfig) -> Result<(), PassError> {
    for at in 0..module.fns.len() as u32 {
        let body = std::mem::take(&mut module.fns[at as usize].body);
        let formats: Vec<Option<TileFormat>> = (0..module.function(FnId(at)).locals.len() as u32)
            .map(|l| buffers.tile_format(module, at, LocalId(l)))
            .collect();
        let is_entry = at as usize + 1 == module.fns.len();
        let mut expander = Expander {
            assigned: visit::assigned_locals(&body),
            function: &mut module.fns[at as usize],
            formats,
            config,
            line: 0,
            failed: None,
        };
        let mut body = expander.block(body)?;
        if let Some(error) = expander.failed.take() {
            return Err(error);
        }
        if is_entry {
            expander.scaler_tiles(&mut body);
        }
        module.fns[at as usize].body = body;
    }
    Ok(())
}

/// What the planner must know of leaves.
pub(crate) fn leaf_infos(
    leaves: &[Leaf],
    format: impl std::ops::Fn(LocalId) -> Option<TileFormat>,
    site: Site,
) -> Result<Vec<LeafInfo>, PassError> {
    leaves
        .iter()
        .map(|leaf| match leaf {
            Leaf::Acc { .. } => Ok(LeafInfo::Acc),
            Leaf::Front { cb, .. } => match format(*cb) {
                Some(TileFormat { format, to_dest }) => Ok(LeafInfo::Front { format, to_dest }),
                None => Err(PassError::Internal { site, message: "an operand is not a circular buffer".to_owned() }),
            },
        })
        .collect()
}

struct Expander<'a> {
    function: &'a mut Fn,
    formats: Vec<Option<TileFormat>>,
    config: &'a ComputeConfig,
    /// Locals whose value may change.
    assigned: BTreeSet<LocalId>,
    line: u32,
    failed: Option<PassError>,
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
                StmtKind::Op(Op::Accumulate(sum)) => {
                    self.accumulate(&sum, &mut out)?;
                    continue;
                }
                other => other.try_map_blocks(&mut |block| self.block(block))?,
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
        let leaves = leaf_infos(&store.leaves, |cb| self.formats.get(cb.0 as usize).copied().flatten(), site)?;
        let schedule =
            schedule::schedule(&store.dag, &leaves, self.config).map_err(|error| PassError::Plan { site, error })?;
        let sizes = Sizes::new(&store.leaves, &store.pages);
        self.sizes_fit(&schedule, &sizes, store)?;
        let keys = temps::keys(&schedule, &sizes_of(&schedule, &sizes));
        let mut buffers = Vec::with_capacity(keys.len());
        for key in keys {
            let Some(key) = key else {
                return Err(PassError::UnknownSize { site });
            };
            match self.function.temp(key) {
                Some(local) => buffers.push(local),
                None => {
                    let message = "an intermediate buffer was not declared".to_owned();
                    return Err(PassError::Internal { site, message });
                }
            }
        }
        let mut acquired = store.acquired;
        for part in &schedule.parts {
            let [rows, cols] = sizes.of(part.shape);
            let pages = product(&rows, &cols);
            let temp = part.to.map(|t| buffers[t as usize]);
            let (to, pages) = (temp.unwrap_or(store.cb), if temp.is_some() { pages } else { store.pages.clone() });
            if let Some(cb) = temp {
                out.push(self.op(Op::ReserveBack { cb, pages: pages.clone() }));
            }
            let mut places = Places {
                schedule: &schedule,
                plan: &part.plan,
                leaves: &store.leaves,
                scalars: &store.scalars,
                sizes: &sizes,
                rows,
                cols,
                to,
                temps: &buffers,
                scattered: false,
                adds: store.adds && temp.is_none(),
            };
            // A section that is acquired already belongs to the part that reads it: the first.
            self.part(part, &mut places, &pages, std::mem::take(&mut acquired), out)?;
            if let Some(cb) = temp {
                out.push(self.op(Op::PushBack { cb, pages: pages.clone() }));
                out.push(self.op(Op::WaitFront { cb, pages }));
            }
            for done in &part.done {
                let pages = {
                    let [rows, cols] = sizes.of(schedule.temps[*done as usize].shape);
                    product(&rows, &cols)
                };
                out.push(self.op(Op::PopFront { cb: buffers[*done as usize], pages }));
            }
        }
        Ok(())
    }

    /// What is known of the sizes agrees.
    fn sizes_fit(&self, schedule: &Schedule, sizes: &Sizes, store: &Store) -> Result<(), PassError> {
        let site = self.site();
        let side = |dim| {
            use crate::ir::shape::{Dim, Shape};
            match dim {
                Dim::Any => None,
                _ => constant(&sizes.of(Shape { rows: dim, cols: Dim::One })[0]),
            }
        };
        let show = |shape: crate::ir::shape::Shape| {
            let text = |dim| side(dim).map_or("?".to_owned(), |n| n.to_string());
            format!("{}x{}", text(shape.rows), text(shape.cols))
        };
        for equal in &schedule.shapes.equal {
            if let (Some(a), Some(b)) = (side(equal.a), side(equal.b))
                && a != b
            {
                let (message, help) = equal.why.explain(&show);
                return Err(PassError::Shapes { site, message, help });
            }
        }
        let shape = schedule.parts.last().map(|p| p.shape);
        if let (Some(shape), Some(pages)) = (shape, constant(&store.pages))
            && let (Some(r), Some(c)) = (side(shape.rows), side(shape.cols))
            && r.checked_mul(c) != Some(pages)
        {
            let (message, help) = mistake(
                format!("{r}x{c} tiles are stored to a block of {pages}"),
                "reserve as many pages as the expression has tiles",
            );
            return Err(PassError::Shapes { site, message, help });
        }
        Ok(())
    }

    /// `acc += expression`, in the registers that hold the accumulator.
    fn accumulate(&mut self, sum: &Accumulate, out: &mut Block) -> Result<(), PassError> {
        let site = self.site();
        let leaves = leaf_infos(&sum.leaves, |cb| self.formats.get(cb.0 as usize).copied().flatten(), site)?;
        let schedule =
            schedule::schedule(&sum.dag, &leaves, self.config).map_err(|error| PassError::Plan { site, error })?;
        let [part] = schedule.parts.as_slice() else {
            return Err(PassError::AccNotInRegisters { site, parts: schedule.parts.len() });
        };
        let tiles = sum.leaves.iter().find_map(|l| match l {
            Leaf::Acc { shape: [rows, cols], .. } => Some(product(rows, cols)),
            Leaf::Front { .. } => None,
        });
        let pages = tiles.unwrap_or_else(|| Expr::u32(1));
        if let Some(tiles) = constant(&pages) {
            self.fits(tiles, part)?;
        }
        let sizes = Sizes::new(&sum.leaves, &pages);
        let [rows, cols] = sizes.of(part.shape);
        let mut places = Places {
            schedule: &schedule,
            plan: &part.plan,
            leaves: &sum.leaves,
            scalars: &sum.scalars,
            sizes: &sizes,
            rows,
            cols,
            to: LocalId(0),
            temps: &[],
            scattered: false,
            adds: false,
        };
        let area = self.whole(&mut places, out);
        self.steps(&places, &area, out);
        if part.plan.result_slot != 0 {
            let (from, tiles) = (part.plan.result_slot, product(&area.nr, &area.nc));
            let code = self.repeat("i", &tiles, |me, i| {
                let (stride, offset) = part.plan.register_terms(from);
                let src = add(mul(i.clone(), Expr::u32(stride)), Expr::u32(offset));
                vec![me.op(Op::CopyRegs { src, dst: i })]
            });
            out.extend(code);
        }
        Ok(())
    }
}

/// Sizes of the intermediate buffers and of the leaves of reductions, where they are constant.
fn sizes_of<'a>(schedule: &'a Schedule, sizes: &'a Sizes) -> impl std::ops::Fn(u32) -> Option<u32> + 'a {
    move |temp| {
        let [rows, cols] = sizes.of(schedule.temps[temp as usize].shape);
        constant(&product(&rows, &cols))
    }
}

pub(super) fn product(a: &Expr, b: &Expr) -> Expr {
    mul(a.clone(), b.clone())
}

/// What a store needs beside its own buffers; `None` if sizes are not known.
pub(super) fn needs_of(
    schedule: &Schedule,
    leaves: &[Leaf],
    pages: &Expr,
    wide_registers: bool,
    site: Site,
) -> Result<Vec<TempKey>, PassError> {
    let sizes = Sizes::new(leaves, pages);
    let mut needs = Vec::new();
    for key in temps::keys(schedule, &sizes_of(schedule, &sizes)) {
        needs.push(key.ok_or(PassError::UnknownSize { site })?);
    }
    for part in &schedule.parts {
        for step in &part.plan.steps {
            if let crate::ir::fuse::Step::Reduce { pool, dim, leaf, wide, .. } = *step {
                let [rows, cols] = sizes.of(schedule.leaf_shape(leaf));
                let scaler = Scaler::of(pool, dim, [constant(&rows), constant(&cols)], wide, wide_registers);
                let key = TempKey::Scaler(scaler.ok_or(PassError::UnknownMean { site })?);
                if !needs.contains(&key) {
                    needs.push(key);
                }
            }
        }
    }
    Ok(needs)
}
