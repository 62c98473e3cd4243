//! Block stores and matrix products as explicit tile operations.
//!
//! A store becomes the parts of its [`schedule`], each a block of tiles; a block becomes sections of as many tiles as fit in the registers;
//! a section does one step of the plan for all its tiles, then the next, so that each init runs once per section at most. Sizes known at
//! compile time give loops with constant bounds, and straight code for one tile; others a loop over full sections and a section for the rest.
//!
//! - `section`: the steps of one section;
//! - `sizes`: sides of blocks as expressions.

mod section;
mod sizes;

use super::PassError;
use super::buffers::{Buffers, TileFormat};
use crate::arch::ComputeConfig;
use crate::ir::fuse::LeafInfo;
use crate::ir::schedule::{self, Part, Schedule};
use crate::ir::sections::Section;
use crate::ir::{
    Accumulate, BinOp, Block, Expr, ExprKind, Fn, FnId, For, Leaf, LocalId, Module, Op, Order, Stmt, StmtKind, Store,
    Ty, visit,
};
use crate::ops::{Pool, ReduceDim, UnaryOp};
use crate::site::Site;
use crate::temps::{self, Scaler, TempKey};
use section::{Area, Places};
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
            let message = format!("{r}x{c} tiles are stored to a block of {pages}");
            return Err(PassError::Shapes { site, message, help: "reserve as many pages as the expression has tiles" });
        }
        Ok(())
    }

    fn part(
        &mut self,
        part: &Part,
        places: &mut Places<'_>,
        pages: &Expr,
        acquired: bool,
        out: &mut Block,
    ) -> Result<(), PassError> {
        let plan = &part.plan;
        if acquired {
            if let Some(tiles) = constant(pages) {
                self.fits(tiles, part)?;
            }
            let area = self.whole(places, out);
            let code = self.section(places, &area, true);
            out.extend(code);
            return Ok(());
        }
        let shaped = part.is_shaped() || plan.matmul;
        if !shaped {
            // As one row.
            let tiles = self.bind("tiles", pages, out);
            (places.rows, places.cols) = (Expr::u32(1), tiles);
        }
        match (constant(&places.rows), constant(&places.cols)) {
            (Some(rows), Some(cols)) => {
                let size = Section::of(plan, shaped, rows, cols);
                places.scattered = size.rows > 1 && size.cols < cols;
                let code = self.grid(places, size, rows, cols);
                out.extend(code);
            }
            _ if plan.matmul => {
                // Checked when it runs.
                let area = self.whole(places, out);
                let code = self.section(places, &area, false);
                out.extend(code);
            }
            (_, Some(1)) => {
                let rows = self.bind("rows", &places.rows.clone(), out);
                places.rows = rows.clone();
                self.unknown_count(places, &rows, true, out);
            }
            (rows, _) => {
                let cols = self.bind("cols", &places.cols.clone(), out);
                places.cols = cols.clone();
                if rows == Some(1) {
                    self.unknown_count(places, &cols, false, out);
                } else {
                    let rows = self.bind("rows", &places.rows.clone(), out);
                    places.rows = rows.clone();
                    let code = self.repeat("row", &rows, |me, row| {
                        let mut body = Block::new();
                        me.columns(places, row, &cols, &mut body);
                        body
                    });
                    out.extend(code);
                }
            }
        }
        Ok(())
    }

    /// All tiles in one section.
    fn whole(&mut self, places: &mut Places<'_>, out: &mut Block) -> Area {
        let rows = self.bind("rows", &places.rows.clone(), out);
        let cols = self.bind("cols", &places.cols.clone(), out);
        (places.rows, places.cols) = (rows.clone(), cols.clone());
        Area { r: Expr::u32(0), nr: rows, c: Expr::u32(0), nc: cols }
    }

    fn fits(&self, tiles: u32, part: &Part) -> Result<(), PassError> {
        let plan = &part.plan;
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

    /// Sections of `size` over a block of known size: full ones in loops, and those at its right and lower edges.
    fn grid(&mut self, places: &Places<'_>, size: Section, rows: u32, cols: u32) -> Block {
        self.strips("first_row", rows, size.rows, |me, r, nr| {
            me.strips("first", cols, size.cols, |me, c, nc| {
                let area = Area { r: r.clone(), nr: Expr::u32(nr), c, nc: Expr::u32(nc) };
                me.section(places, &area, false)
            })
        })
    }

    /// `body(first, count)` for each `step` of `total`, in a loop where there are several; then for what is left.
    fn strips(
        &mut self,
        name: &str,
        total: u32,
        step: u32,
        mut body: impl FnMut(&mut Self, Expr, u32) -> Block,
    ) -> Block {
        let step = step.max(1);
        let (full, rest) = (total / step * step, total % step);
        let mut out = Block::new();
        if full > step {
            let first = self.function.add_local(name, Ty::U32);
            let body = body(self, Expr::local(first, Ty::U32), step);
            out.push(self.stmt(StmtKind::For(Box::new(For {
                local: first,
                start: Expr::u32(0),
                end: Expr::u32(full),
                inclusive: false,
                order: Order::Forward,
                step: u64::from(step),
                body,
            }))));
        } else if full == step {
            out.extend(body(self, Expr::u32(0), step));
        }
        if rest > 0 {
            out.extend(body(self, Expr::u32(full), rest));
        }
        out
    }

    /// The columns of one row.
    fn columns(&mut self, places: &Places<'_>, row: Expr, cols: &Expr, out: &mut Block) {
        let step = places.plan.tiles_per_section;
        match constant(cols) {
            Some(cols) => {
                let code = self.strips("first", cols, step, |me, c, nc| {
                    let area = Area { r: row.clone(), nr: Expr::u32(1), c, nc: Expr::u32(nc) };
                    me.section(places, &area, false)
                });
                out.extend(code);
            }
            None => self.unknown(places, cols, out, |c, nc| Area { r: row.clone(), nr: Expr::u32(1), c, nc }),
        }
    }

    /// A row (or a column) of a length that is only known at run time.
    fn unknown_count(&mut self, places: &Places<'_>, tiles: &Expr, column: bool, out: &mut Block) {
        let (zero, one) = (Expr::u32(0), Expr::u32(1));
        self.unknown(places, tiles, out, |first, count| {
            if column {
                Area { r: first, nr: count, c: zero.clone(), nc: one.clone() }
            } else {
                Area { r: zero.clone(), nr: one.clone(), c: first, nc: count }
            }
        });
    }

    fn unknown(
        &mut self,
        places: &Places<'_>,
        tiles: &Expr,
        out: &mut Block,
        area: impl std::ops::Fn(Expr, Expr) -> Area,
    ) {
        let step = places.plan.tiles_per_section;
        if step == 1 {
            let code = self.repeat("i", tiles, |me, i| me.section(places, &area(i, Expr::u32(1)), false));
            out.extend(code);
            return;
        }
        let section = Expr::u32(step);
        let full = Expr::binary(BinOp::Div, tiles.clone(), section.clone());
        let full = self.bind("sections", &full, out);
        let sections = self.repeat("section", &full, |me, at| {
            let mut body = Block::new();
            let first = me.bind("first", &mul(at, section.clone()), &mut body);
            body.extend(me.section(places, &area(first, section.clone()), false));
            body
        });
        out.extend(sections);
        let rest = self.bind("rest", &Expr::binary(BinOp::Rem, tiles.clone(), section), out);
        let mut then = Block::new();
        let first = Expr::binary(BinOp::Sub, tiles.clone(), rest.clone());
        let first = self.bind("first", &first, &mut then);
        then.extend(self.section(places, &area(first, rest.clone()), false));
        let cond = Expr { ty: Ty::Bool, kind: ExprKind::Binary(BinOp::Gt, Box::new(rest), Box::new(Expr::u32(0))) };
        out.push(self.stmt(StmtKind::If { cond, then, els: Block::new() }));
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

    /// The buffer with the scaler tile of a reduction.
    fn scaler(&mut self, pool: Pool, dim: ReduceDim, rows: &Expr, cols: &Expr) -> LocalId {
        let site = self.site();
        let scaler = Scaler::of(pool, dim, constant(rows), constant(cols), self.config.fp32_dest_acc);
        let found = scaler.and_then(|s| self.function.temp(TempKey::Scaler(s)));
        found.unwrap_or_else(|| {
            self.failed.get_or_insert(match scaler {
                None => PassError::UnknownMean { site },
                Some(_) => {
                    let message = "a scaler tile was not declared".to_owned();
                    PassError::Internal { site, message }
                }
            });
            LocalId(0)
        })
    }

    /// Fills the scaler tiles at the beginning of the kernel and takes them away at its end.
    fn scaler_tiles(&mut self, body: &mut Block) {
        let scalers: Vec<(Scaler, LocalId)> = self
            .function
            .temps
            .iter()
            .filter_map(|(key, cb)| match key {
                TempKey::Scaler(scaler) => Some((*scaler, *cb)),
                TempKey::Block { .. } | TempKey::Sum { .. } => None,
            })
            .collect();
        if scalers.is_empty() {
            return;
        }
        let pages = Expr::u32(1);
        self.line = body.last().map_or(self.function.line, |s| s.line);
        let pops: Block =
            scalers.iter().map(|(_, cb)| self.op(Op::PopFront { cb: *cb, pages: pages.clone() })).collect();
        before_returns(body, &pops);
        if !matches!(body.last().map(|s| &s.kind), Some(StmtKind::Return(_))) {
            body.extend(pops);
        }
        self.line = self.function.line;
        let mut fills = Block::new();
        for (scaler, cb) in scalers {
            let value = Expr { ty: Ty::F32, kind: ExprKind::F32(f32::from_bits(scaler.bits)) };
            let words = vec![Expr { ty: Ty::U32, kind: ExprKind::Bits(Box::new(value)) }];
            let dst = Expr::u32(0);
            for op in [
                Op::ReserveBack { cb, pages: pages.clone() },
                Op::Acquire,
                Op::Unary { op: UnaryOp::Fill, dst: dst.clone(), words },
                Op::Commit,
                Op::PackTile { dst, cb, index: None },
                Op::Release,
                Op::PushBack { cb, pages: pages.clone() },
                Op::WaitFront { cb, pages: pages.clone() },
            ] {
                fills.push(self.op(op));
            }
        }
        body.splice(0..0, fills);
    }
}

/// Puts statements in front of every `return`.
fn before_returns(block: &mut Block, what: &Block) {
    let mut at = 0;
    while at < block.len() {
        match &mut block[at].kind {
            StmtKind::Return(_) => {
                block.splice(at..at, what.iter().cloned());
                at += what.len();
            }
            StmtKind::If { then, els, .. } => {
                before_returns(then, what);
                before_returns(els, what);
            }
            StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::Block(body) => {
                before_returns(body, what)
            }
            StmtKind::For(l) => before_returns(&mut l.body, what),
            _ => {}
        }
        at += 1;
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
    wide: bool,
    site: Site,
) -> Result<Vec<TempKey>, PassError> {
    let sizes = Sizes::new(leaves, pages);
    let mut needs = Vec::new();
    for key in temps::keys(schedule, &sizes_of(schedule, &sizes)) {
        needs.push(key.ok_or(PassError::UnknownSize { site })?);
    }
    for part in &schedule.parts {
        for step in &part.plan.steps {
            if let crate::ir::fuse::Step::Reduce { pool, dim, leaf, .. } = *step {
                let [rows, cols] = sizes.of(schedule.leaf_shape(leaf));
                let scaler = Scaler::of(pool, dim, constant(&rows), constant(&cols), wide);
                let key = TempKey::Scaler(scaler.ok_or(PassError::UnknownMean { site })?);
                if !needs.contains(&key) {
                    needs.push(key);
                }
            }
        }
    }
    Ok(needs)
}
