//! Results from the shapes that they have on the device.

use super::arena::{ArenaLayout, ArenaOp};
use super::budget::a_rep_columns;
use super::config::DitConfig;
use super::consts::{M_ROWS, RT_TILES, TILE};
use super::core_map::CoreMap;
use super::error::{MegakernelError, Result};
use super::matrix::Matrix;
use super::op::In0Order;

const SIDE: usize = TILE as usize;
const ROWS: usize = M_ROWS as usize;

/// A tile of a matrix of tiles, by its page in row-major order.
fn tile(shard: &Matrix, page: u32) -> Matrix {
    let wide = shard.cols / SIDE;
    let (r, c) = (page as usize / wide, page as usize % wide);
    shard.part(r * SIDE..(r + 1) * SIDE, c * SIDE..(c + 1) * SIDE)
}

fn unpack(shard: &Matrix, n_tiles: u32, order: In0Order) -> Result<Matrix> {
    let columns = shard.cols as u32;
    if n_tiles * TILE > columns {
        return Err(MegakernelError::ShardTiles { n_tiles, columns });
    }
    let mut out = Matrix::zeros(ROWS, n_tiles as usize * SIDE);
    for r in 0..RT_TILES {
        for n in 0..n_tiles {
            let part = tile(shard, order.page_of(r, n, n_tiles));
            out.place(r as usize * SIDE, n as usize * SIDE, &part);
        }
    }
    Ok(out)
}

/// A gather of single columns, out of the a_rep [64, 256 B] of one core: tile (r, n) at page 2n + r.
pub fn unpack_single_order(cfg: &DitConfig, shard: &Matrix, n_tiles: u32) -> Result<Matrix> {
    let columns = a_rep_columns(cfg);
    if (shard.rows, shard.cols) != (ROWS, columns as usize) {
        return Err(MegakernelError::SingleShard { columns, got: vec![shard.rows, shard.cols] });
    }
    unpack(shard, n_tiles, In0Order::Single)
}

/// A gather of pieces of 2 x 2 tiles: tile (r, n) at page 4 (n / 2) + 2 r + n mod 2.
pub fn unpack_pairs_order(shard: &Matrix, n_tiles: u32) -> Result<Matrix> {
    if shard.rows != ROWS {
        return Err(MegakernelError::PairsShard { got: vec![shard.rows, shard.cols] });
    }
    unpack(shard, n_tiles, In0Order::Pairs)
}

/// A gather row by row: tile (r, n) at page r n_tiles + n.
pub fn unpack_row_major_order(shard: &Matrix, n_tiles: u32) -> Result<Matrix> {
    if shard.rows != ROWS {
        return Err(MegakernelError::PairsShard { got: vec![shard.rows, shard.cols] });
    }
    unpack(shard, n_tiles, In0Order::RowMajor)
}

/// The inverse, for inputs and tests: a matrix [64, 32 n] as a shard of `columns` columns.
pub fn pack_order(matrix: &Matrix, order: In0Order, columns: u32) -> Matrix {
    let (n_tiles, wide) = ((matrix.cols / SIDE) as u32, columns as usize / SIDE);
    let mut out = Matrix::zeros(ROWS, columns as usize);
    for r in 0..RT_TILES {
        for n in 0..n_tiles {
            let page = order.page_of(r, n, n_tiles) as usize;
            out.place(page / wide * SIDE, page % wide * SIDE, &tile(matrix, r * n_tiles + n));
        }
    }
    out
}

/// The results [64, 64] of all compute cores, below each other in the order of the shards, as one matrix [64, N].
///
/// An operation with two column tiles per core fills a result; one with a single column keeps rows 0..31 in the first tile and rows 32..63
/// in the tile beside it.
pub fn mm_out_to_matrix(map: &CoreMap, op: &ArenaOp, mm_out: &Matrix) -> Result<Matrix> {
    let expected = vec![map.n_compute() as usize * ROWS, 2 * SIDE];
    if [mm_out.rows, mm_out.cols] != expected[..] {
        return Err(MegakernelError::Shape {
            what: "mm_out".to_owned(),
            expected,
            got: vec![mm_out.rows, mm_out.cols],
        });
    }
    let ct = op.n_tiles_per_core as usize;
    let mut out = Matrix::zeros(ROWS, op.n_tiles as usize * SIDE);
    for (shard, c) in map.shard_order().into_iter().enumerate() {
        if !op.core_set.participates(map.banks(), c) {
            continue;
        }
        let slot = op.core_set.slot_of(map.banks(), c)? as usize;
        let slice = mm_out.part(shard * ROWS..(shard + 1) * ROWS, 0..2 * SIDE);
        let column = slot * ct * SIDE;
        if ct == 2 {
            out.place(0, column, &slice);
        } else {
            out.place(0, column, &slice.part(0..SIDE, 0..SIDE));
            out.place(SIDE, column, &slice.part(0..SIDE, SIDE..2 * SIDE));
        }
    }
    Ok(out)
}

/// The rows of x that every compute core keeps, by compute index, out of a tensor [32 cores, W] in the order of the shards.
pub fn read_x_rows_all(map: &CoreMap, x_rep: &Matrix) -> Result<Vec<Matrix>> {
    let cores = map.n_compute() as usize;
    if x_rep.rows != cores * SIDE {
        let (expected, got) = (vec![cores * SIDE, x_rep.cols], vec![x_rep.rows, x_rep.cols]);
        return Err(MegakernelError::Shape { what: "x_rep".to_owned(), expected, got });
    }
    let mut rows = vec![Matrix::zeros(0, 0); cores];
    for (shard, c) in map.shard_order().into_iter().enumerate() {
        rows[c as usize] = x_rep.part(shard * SIDE..(shard + 1) * SIDE, 0..x_rep.cols);
    }
    Ok(rows)
}

/// x [64, W] from a core that keeps its first tile row and one that keeps its second.
pub fn read_x_rows(map: &CoreMap, x_rep: &Matrix, cores: (u32, u32)) -> Result<Matrix> {
    let rows = read_x_rows_all(map, x_rep)?;
    let mut out = Matrix::zeros(ROWS, x_rep.cols);
    for (r, c) in [(0, cores.0), (1, cores.1)] {
        let row = rows.get(c as usize).ok_or_else(|| MegakernelError::NotInSet {
            core: c,
            set: super::core_set::CoreSet::All.label(),
            cores: map.n_compute(),
        })?;
        if map.row_of_core(c) != r {
            return Err(MegakernelError::TileRow { core: c, keeps: map.row_of_core(c), asked: r });
        }
        out.place(r as usize * SIDE, 0, row);
    }
    Ok(out)
}

/// The two cores that [`read_x_rows`] reads unless asked otherwise: the first of each row, 0 and 48 at full size.
pub const fn x_row_cores(cfg: &DitConfig) -> (u32, u32) {
    (0, 6 * cfg.banks)
}

/// Every core has its tile row of a matrix [64, W]: the tensor [32 cores, W] in the order of the shards.
pub fn make_x_rows(map: &CoreMap, x: &Matrix) -> Result<Matrix> {
    if x.rows != ROWS || !x.cols.is_multiple_of(SIDE) {
        let (expected, got) = (vec![ROWS, x.cols.next_multiple_of(SIDE)], vec![x.rows, x.cols]);
        return Err(MegakernelError::Shape { what: "x".to_owned(), expected, got });
    }
    let mut out = Matrix::zeros(map.n_compute() as usize * SIDE, x.cols);
    for (shard, c) in map.shard_order().into_iter().enumerate() {
        let r = map.row_of_core(c) as usize * SIDE;
        out.place(shard * SIDE, 0, &x.part(r..r + SIDE, 0..x.cols));
    }
    Ok(out)
}

/// Every core has the whole matrix [64, 32 k]: the tensor [64 cores, 32 k].
pub fn make_x_rep(map: &CoreMap, x: &Matrix) -> Result<Matrix> {
    if x.rows != ROWS || x.cols == 0 || !x.cols.is_multiple_of(SIDE) {
        let (expected, got) = (vec![ROWS, x.cols.max(1).next_multiple_of(SIDE)], vec![x.rows, x.cols]);
        return Err(MegakernelError::Shape { what: "x".to_owned(), expected, got });
    }
    let cores = map.n_compute() as usize;
    Ok(Matrix { rows: cores * ROWS, cols: x.cols, data: x.data.repeat(cores) })
}

/// Tiles that cores left in their rows of x, by compute index, as whole matrices.
#[derive(Clone, Debug)]
pub struct Dumped<'a> {
    layout: &'a ArenaLayout,
    rows: Vec<Matrix>,
}

impl<'a> Dumped<'a> {
    /// `rows` as [`read_x_rows_all`] gives them.
    pub fn new(layout: &'a ArenaLayout, rows: Vec<Matrix>) -> Result<Dumped<'a>> {
        let cfg = layout.cfg();
        let (cores, width) = (cfg.compute_cores() as usize, cfg.width() as usize);
        if rows.len() != cores || rows.iter().any(|m| (m.rows, m.cols) != (SIDE, width)) {
            let wrong = rows.iter().find(|m| (m.rows, m.cols) != (SIDE, width));
            let got = wrong.map_or(vec![rows.len(), SIDE, width], |m| vec![rows.len(), m.rows, m.cols]);
            return Err(MegakernelError::Shape {
                what: "the dumped rows".to_owned(),
                expected: vec![cores, SIDE, width],
                got,
            });
        }
        Ok(Dumped { layout, rows })
    }

    /// Tile `i` of core `c`.
    fn tile(&self, c: u32, i: usize) -> Matrix {
        self.rows[c as usize].part(0..SIDE, i * SIDE..(i + 1) * SIDE)
    }

    /// One tile of each core: the layer norms. Core c has tile (c / 6B, c mod 6B).
    pub fn tiles(&self) -> Matrix {
        let cfg = self.layout.cfg();
        let wide = 6 * cfg.banks;
        let mut out = Matrix::zeros(ROWS, cfg.width() as usize);
        for c in 0..cfg.compute_cores() {
            out.place((c / wide) as usize * SIDE, (c % wide) as usize * SIDE, &self.tile(c, 0));
        }
        out
    }

    /// Results of ff1: each core has the two tiles of its own row, columns 64c of that row.
    pub fn ff1(&self) -> Matrix {
        let cfg = self.layout.cfg();
        let mut out = Matrix::zeros(ROWS, cfg.ff_dim() as usize);
        for c in 0..cfg.compute_cores() {
            let r = super::core_set::row_of_core(cfg.banks, c) as usize;
            for i in 0..2 {
                out.place(r * SIDE, (2 * c as usize + i) * SIDE, &self.tile(c, i));
            }
        }
        out
    }

    /// Results of ff2: even cores have both tiles of column c / 2.
    pub fn g(&self) -> Matrix {
        let cfg = self.layout.cfg();
        let mut out = Matrix::zeros(ROWS, cfg.width() as usize);
        for c in (0..cfg.compute_cores()).step_by(2) {
            for r in 0..2 {
                out.place(r * SIDE, c as usize / 2 * SIDE, &self.tile(c, r));
            }
        }
        out
    }

    /// Queries or attention of the heads: core h has four tiles, row-major, columns 64h.
    pub fn heads(&self) -> Matrix {
        let cfg = self.layout.cfg();
        let mut out = Matrix::zeros(ROWS, cfg.inner() as usize);
        for h in 0..cfg.n_heads() {
            for i in 0..4 {
                out.place(i / 2 * SIDE, (2 * h as usize + i % 2) * SIDE, &self.tile(h, i));
            }
        }
        out
    }

    /// The received rows of h or h2: each core has the whole row, those of a row the same; from the first core of each.
    pub fn rows(&self) -> Matrix {
        let (first, second) = x_row_cores(self.layout.cfg());
        let mut out = Matrix::zeros(ROWS, self.layout.cfg().width() as usize);
        out.place(0, 0, &self.rows[first as usize]);
        out.place(SIDE, 0, &self.rows[second as usize]);
        out
    }
}
