//! Blocks in sections: of all its tiles one section after the other, as many tiles in each as fit.

use super::section::{Area, Places};
use super::{Expander, constant, mul};
use crate::ir::passes::PassError;
use crate::ir::schedule::Part;
use crate::ir::sections::Section;
use crate::ir::{BinOp, Block, Expr, ExprKind, For, Order, StmtKind, Ty};

impl Expander<'_> {
    pub(super) fn part(
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
    pub(super) fn whole(&mut self, places: &mut Places<'_>, out: &mut Block) -> Area {
        let rows = self.bind("rows", &places.rows.clone(), out);
        let cols = self.bind("cols", &places.cols.clone(), out);
        (places.rows, places.cols) = (rows.clone(), cols.clone());
        Area { r: Expr::u32(0), nr: rows, c: Expr::u32(0), nc: cols }
    }

    pub(super) fn fits(&self, tiles: u32, part: &Part) -> Result<(), PassError> {
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
    pub(super) fn grid(&mut self, places: &Places<'_>, size: Section, rows: u32, cols: u32) -> Block {
        self.strips("first_row", rows, size.rows, |me, r, nr| {
            me.strips("first", cols, size.cols, |me, c, nc| {
                let area = Area { r: r.clone(), nr: Expr::u32(nr), c, nc: Expr::u32(nc) };
                me.section(places, &area, false)
            })
        })
    }

    /// `body(first, count)` for each `step` of `total`, in a loop where there are several; then for what is left.
    pub(super) fn strips(
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
    pub(super) fn columns(&mut self, places: &Places<'_>, row: Expr, cols: &Expr, out: &mut Block) {
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
    pub(super) fn unknown_count(&mut self, places: &Places<'_>, tiles: &Expr, column: bool, out: &mut Block) {
        let (zero, one) = (Expr::u32(0), Expr::u32(1));
        self.unknown(places, tiles, out, |first, count| {
            if column {
                Area { r: first, nr: count, c: zero.clone(), nc: one.clone() }
            } else {
                Area { r: zero.clone(), nr: one.clone(), c: first, nc: count }
            }
        });
    }

    pub(super) fn unknown(
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
}
