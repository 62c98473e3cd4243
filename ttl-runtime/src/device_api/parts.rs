//! Block expressions on the simulated chip: the same parts, steps and sections as the generated C++.

use super::store::Leaf;
use crate::ir::fuse::Step;
use crate::ir::schedule::{Part, Schedule};
use crate::ir::sections::Section;
use crate::ir::shape::{Dim, Shape};
use crate::ops::{Bcast, ReduceDim, TileCall};
use crate::sim::ops;
use crate::site::Site;
use crate::temps::{self, Scaler, TempKey};

/// An expression with its sizes.
pub(super) struct Run<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) leaves: &'a [Leaf],
    pub(super) scalars: &'a [u32],
    /// Tiles of the result.
    pub(super) pages: u32,
    pub(super) site: Site,
}

/// One part being computed.
struct Block<'a> {
    part: &'a Part,
    rows: u32,
    cols: u32,
    temps: &'a [u32],
}

/// Where a part's result goes.
#[derive(Clone, Copy)]
struct Target {
    cb: u32,
    /// The packer adds to the pages.
    adds: bool,
    /// Pages are packed by their index.
    scattered: bool,
}

/// Tiles of a section: rows `r..r + nr` and columns `c..c + nc`.
#[derive(Clone, Copy)]
struct Area {
    r: u32,
    nr: u32,
    c: u32,
    nc: u32,
}

impl Run<'_> {
    /// Computes the expression into the reserved block of `out`. `acquired`: the first part's registers are held already.
    pub(super) fn store(&self, out: u32, acquired: bool) {
        self.compute(out, acquired, false);
    }

    /// Computes the expression, and the packer adds it to the reserved block of `out`.
    pub(super) fn add(&self, out: u32) {
        self.compute(out, false, true);
    }

    fn compute(&self, out: u32, acquired: bool, adds: bool) {
        self.check(Some(out));
        let temps = self.temps();
        let mut acquired = acquired;
        for part in &self.schedule.parts {
            let (rows, cols) = self.size(part.shape);
            let to = part.to.map_or(out, |t| temps[t as usize]);
            if part.to.is_some() {
                ops::cb_reserve_back(to, rows * cols, self.site);
            }
            let to = Target { cb: to, adds: adds && part.to.is_none(), scattered: false };
            self.part(&Block { part, rows, cols, temps: &temps }, to, std::mem::take(&mut acquired));
            let to = to.cb;
            if part.to.is_some() {
                ops::cb_push_back(to, rows * cols, self.site);
                ops::cb_wait_front(to, rows * cols, self.site);
            }
            for done in &part.done {
                let (rows, cols) = self.size(self.schedule.temps[*done as usize].shape);
                ops::cb_pop_front(temps[*done as usize], rows * cols, self.site);
            }
        }
    }

    /// Adds the expression to the registers that are held.
    pub(super) fn accumulate(&self) {
        self.check(None);
        let [part] = self.schedule.parts.as_slice() else {
            ops::fail_with_help(
                "this expression cannot be added to an accumulator in the tile registers: a part of it needs them first",
                super::FAULT, // such an accumulator is kept in L1
                self.site,
            );
        };
        let (rows, cols) = self.size(part.shape);
        let block = Block { part, rows, cols, temps: &[] };
        self.fits(part, rows * cols);
        if part.plan.reads_acc() {
            for i in 0..rows * cols {
                if !ops::is_written(i, self.site) {
                    ops::unary(crate::ops::UnaryOp::Fill, i, &[0], self.site);
                }
            }
        }
        self.steps(&block, Area { r: 0, nr: rows, c: 0, nc: cols });
        if part.plan.result_slot != 0 {
            for i in 0..rows * cols {
                ops::copy_regs(part.plan.register(i, part.plan.result_slot), i, self.site);
            }
        }
    }

    fn part(&self, block: &Block<'_>, to: Target, acquired: bool) {
        let (part, plan) = (block.part, &block.part.plan);
        if acquired {
            self.fits(part, block.rows * block.cols);
            let area = Area { r: 0, nr: block.rows, c: 0, nc: block.cols };
            self.section(block, area, to, true);
            return;
        }
        let shaped = part.is_shaped() || plan.matmul;
        let flat = Block { part, rows: 1, cols: block.rows * block.cols, temps: block.temps };
        let block = if shaped { block } else { &flat };
        let size = Section::of(plan, shaped, block.rows, block.cols);
        let to = Target { scattered: size.rows > 1 && size.cols < block.cols, ..to };
        let mut r = 0;
        while r < block.rows {
            let nr = size.rows.min(block.rows - r);
            let mut c = 0;
            while c < block.cols {
                let nc = size.cols.min(block.cols - c);
                self.section(block, Area { r, nr, c, nc }, to, false);
                c += nc;
            }
            r += nr;
        }
    }

    fn section(&self, block: &Block<'_>, area: Area, to: Target, acquired: bool) {
        let site = self.site;
        if !acquired {
            ops::ensure_started(site);
            ops::tile_regs_acquire(site);
        }
        self.steps(block, area);
        ops::tile_regs_commit(site);
        ops::tile_regs_wait(site);
        let plan = &block.part.plan;
        for i in 0..area.nr * area.nc {
            let page = (area.r + i / area.nc) * block.cols + area.c + i % area.nc;
            let register = plan.register(i, plan.result_slot);
            if to.adds {
                ops::pack_acc(register, to.cb, page, site);
            } else {
                ops::pack(register, to.cb, to.scattered.then_some(page), site);
            }
        }
        ops::tile_regs_release(site);
    }

    fn steps(&self, block: &Block<'_>, area: Area) {
        for step in &block.part.plan.steps {
            if let Step::Matmul { a, b } = *step {
                self.product(block, area, a, b);
                continue;
            }
            for i in 0..area.nr * area.nc {
                self.step(block, step, (area.r + i / area.nc, area.c + i % area.nc), i);
            }
        }
    }

    /// One step of the tile at `row` and `col` of its block, the `i`-th of the section.
    fn step(&self, block: &Block<'_>, step: &Step, (row, col): (u32, u32), i: u32) {
        let site = self.site;
        let reg = |slot| block.part.plan.register(i, slot);
        let cb = |leaf| self.buffer(block, leaf);
        let tile = row * block.cols + col;
        let vector = |bcast| match bcast {
            Bcast::Row => col,
            Bcast::Col => row,
            Bcast::Scalar => 0,
        };
        match *step {
            Step::Copy { leaf, slot } => ops::copy(cb(leaf), tile, reg(slot), site),
            Step::Fpu { op, a, b, slot } => ops::binary_tiles(op, cb(a), cb(b), tile, tile, reg(slot), site),
            Step::ReuseDest { op, reversed, leaf, slot } => {
                ops::reuse_dest(op, reversed, cb(leaf), tile, reg(slot), site)
            }
            Step::Unary { op, slot, words } => ops::unary(op, reg(slot), &self.scalars[words.range()], site),
            Step::Regs { op, a, b, out, words } => {
                ops::binary_regs(op, [reg(a), reg(b)], reg(out), &self.scalars[words.range()], site)
            }
            Step::Ternary { op, operands, out, words } => {
                ops::ternary_regs(op, operands.map(reg), reg(out), &self.scalars[words.range()], site)
            }
            Step::CopyRegs { from, to } => ops::copy_regs(reg(from), reg(to), site),
            Step::CopyBcast { bcast, leaf, slot } => {
                ops::tile_call_auto(TileCall::UnaryBcast(bcast), &[cb(leaf)], &[vector(bcast)], reg(slot), 0, site)
            }
            Step::FpuBcast { op, bcast, a, b, slot } => {
                let call = TileCall::Bcast(op, bcast);
                ops::tile_call_auto(call, &[cb(a), cb(b)], &[tile, vector(bcast)], reg(slot), 0, site)
            }
            Step::Transpose { leaf, slot } => {
                let index = col * block.rows + row;
                ops::tile_call_auto(TileCall::Transpose, &[cb(leaf)], &[index], reg(slot), 0, site)
            }
            Step::Reduce { pool, dim, leaf, slot, wide } => {
                let (rows, cols) = self.size(self.schedule.leaf_shape(leaf));
                let scaler = self.scaler(pool, dim, [rows, cols], wide);
                let (count, first, stride) = match dim {
                    ReduceDim::Row => (cols, row * cols, 1),
                    ReduceDim::Col => (rows, col, cols),
                    ReduceDim::Scalar => (rows * cols, 0, 1),
                };
                for k in 0..count {
                    let tiles = [first + k * stride, 0];
                    ops::tile_call_auto(TileCall::Reduce(pool, dim), &[cb(leaf), scaler], &tiles, reg(slot), 0, site);
                }
            }
            // Of the whole section.
            Step::Matmul { .. } => {}
        }
    }

    fn product(&self, block: &Block<'_>, area: Area, a: u32, b: u32) {
        let (_, kt) = self.size(self.schedule.leaf_shape(a));
        let (a, b) = (self.buffer(block, a), self.buffer(block, b));
        let Area { r, nr, c, nc } = area;
        for k in 0..kt {
            if nr == 1 && nc == 1 {
                ops::matmul(a, b, r * kt + k, k * block.cols + c, 0, self.site);
            } else {
                ops::matmul_block_auto(a, b, r * kt + k, k * block.cols + c, 0, false, nc, nr, kt, self.site);
            }
        }
    }

    fn buffer(&self, block: &Block<'_>, leaf: u32) -> u32 {
        match self.schedule.temp(leaf) {
            Some(temp) => block.temps[temp as usize],
            None => match self.leaves[leaf as usize] {
                Leaf::Front { cb, .. } => cb,
                Leaf::Acc { .. } => 0,
            },
        }
    }

    /// Rows and columns of a shape.
    fn size(&self, shape: Shape) -> (u32, u32) {
        let quotient = |n: u32| self.pages.checked_div(n).unwrap_or(0);
        match (self.side(shape.rows), self.side(shape.cols)) {
            (Some(rows), Some(cols)) => (rows, cols),
            (None, Some(cols)) => (quotient(cols), cols),
            (Some(rows), None) => (rows, quotient(rows)),
            (None, None) => (1, self.pages),
        }
    }

    fn side(&self, dim: Dim) -> Option<u32> {
        match dim {
            Dim::Any => None,
            Dim::One => Some(1),
            Dim::Rows(leaf) => Some(self.leaves[leaf as usize].shape()[0]),
            Dim::Cols(leaf) => Some(self.leaves[leaf as usize].shape()[1]),
        }
    }

    fn check(&self, out: Option<u32>) {
        let site = self.site;
        let show = |shape: Shape| {
            let text = |dim| self.side(dim).map_or("?".to_owned(), |n| n.to_string());
            format!("{}x{}", text(shape.rows), text(shape.cols))
        };
        for equal in &self.schedule.shapes.equal {
            if let (Some(a), Some(b)) = (self.side(equal.a), self.side(equal.b))
                && a != b
            {
                let (message, help) = equal.why.explain(&show);
                ops::fail_with_help(&message, help, site);
            }
        }
        let (Some(out), Some(part)) = (out, self.schedule.parts.last()) else { return };
        let (rows, cols) = self.size(part.shape);
        if rows.checked_mul(cols) != Some(self.pages) {
            let name = ops::cb_name(out, site);
            let (what, tiles) = match self.leaves {
                [Leaf::Front { cb, .. }, ..] if self.schedule.is_plain() => {
                    (ops::cb_name(*cb, site).to_string(), (rows * cols).to_string())
                }
                [Leaf::Acc { .. }, ..] => ("the accumulator".to_owned(), (rows * cols).to_string()),
                _ => ("the expression".to_owned(), format!("{rows}x{cols}")),
            };
            ops::fail_with_help(
                &format!("{what} has {tiles} tiles, the block reserved in {name} has {}", self.pages),
                "reserve as many pages as the expression has tiles",
                site,
            );
        }
    }

    fn fits(&self, part: &Part, tiles: u32) {
        let plan = &part.plan;
        if tiles > plan.tiles_per_section {
            ops::fail_with_help(
                &format!(
                    "an accumulator of {tiles} tiles does not fit the tile registers: {} tiles of {} registers each do",
                    plan.tiles_per_section, plan.slots_per_tile
                ),
                "use a smaller block, or make its sizes constants or const generics: then it is kept in L1",
                self.site,
            );
        }
    }

    /// The intermediate buffers of the expression.
    fn temps(&self) -> Vec<u32> {
        let size = |temp: u32| {
            let (rows, cols) = self.size(self.schedule.temps[temp as usize].shape);
            rows.checked_mul(cols)
        };
        temps::keys(self.schedule, &size).into_iter().map(|key| self.temp(key)).collect()
    }

    fn scaler(&self, pool: crate::ops::Pool, dim: ReduceDim, sides: [u32; 2], wide: bool) -> u32 {
        let wide_registers = ops::compute_config(self.site).fp32_dest_acc;
        self.temp(Scaler::of(pool, dim, sides.map(Some), wide, wide_registers).map(TempKey::Scaler))
    }

    fn temp(&self, key: Option<TempKey>) -> u32 {
        let found = key.and_then(|key| ops::temp(key, self.site));
        found.unwrap_or_else(|| {
            ops::fail_with_help(
                "this expression needs a buffer that the program did not declare",
                super::FAULT,
                self.site,
            )
        })
    }
}

/// Fills the scaler tiles that a kernel's reductions need, as the generated C++ does at its beginning.
pub(crate) fn fill_scalers(temps: &[(TempKey, u32)], site: Site) {
    for (key, cb) in temps {
        let TempKey::Scaler(scaler) = key else { continue };
        ops::cb_reserve_back(*cb, 1, site);
        ops::ensure_started(site);
        ops::tile_regs_acquire(site);
        ops::unary(crate::ops::UnaryOp::Fill, 0, &[scaler.bits], site);
        ops::tile_regs_commit(site);
        ops::tile_regs_wait(site);
        ops::pack(0, *cb, None, site);
        ops::tile_regs_release(site);
        ops::cb_push_back(*cb, 1, site);
        ops::cb_wait_front(*cb, 1, site);
    }
}

/// Takes the scaler tiles away at the kernel's end.
pub(crate) fn drop_scalers(temps: &[(TempKey, u32)], site: Site) {
    for (key, cb) in temps {
        if matches!(key, TempKey::Scaler(_)) {
            ops::cb_pop_front(*cb, 1, site);
        }
    }
}
