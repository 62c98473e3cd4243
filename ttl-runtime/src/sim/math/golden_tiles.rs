//! Vectors of tile calls: broadcasts, reductions, transpositions. In the place of the approximate mode, which does not matter here, stands
//! whether the first operand goes past the source registers.

use super::golden::Case;
use super::{Before, ReduceFormats, Tile, broadcast, mask, transpose, unary_bcast};
use crate::ops::{Bcast, Pool, ReduceDim};

/// The register after the tile calls of the kernel on tile number `i`, if the operation is one of those here.
pub(super) fn compute(case: &Case, i: usize) -> Option<Tile> {
    let (op, cfg) = (case.op.as_str(), &case.cfg);
    let mut dst = Tile::ZERO;
    if let Some(rest) = op.strip_prefix("bcast_") {
        let (name, dim) = rest.rsplit_once('_')?;
        let (dim, row) = match dim {
            "cols" => (Bcast::Col, 0),
            "scalar" => (Bcast::Scalar, 0),
            "row5" => (Bcast::Row, 5),
            "row20" => (Bcast::Row, 20),
            _ => (Bcast::Row, 0),
        };
        let mut b = Tile::ZERO;
        broadcast(dim, row, &case.src(1, i), &mut b);
        let a = case.src(0, i);
        match name {
            "add" => super::add_tiles(cfg, &a, &b, false, &mut dst),
            "sub" | "any_sub" => super::sub_tiles(cfg, &a, &b, false, &mut dst),
            "mul" => super::mul_tiles(cfg, &a, &b, &mut dst),
            "fma" => {
                case.copy(2, i, &mut dst);
                super::mul_tiles(cfg, &a, &b, &mut dst);
            }
            _ => return None,
        }
        return Some(dst);
    }
    if let Some(dim) = op.strip_prefix("ubcast_") {
        let dim = match dim {
            "row" => Bcast::Row,
            "col" => Bcast::Col,
            _ => Bcast::Scalar,
        };
        unary_bcast(dim, &case.src(0, i), &mut dst);
        return Some(dst);
    }
    if op.starts_with("reduce") {
        let [kind, pool, dim] = op.split('_').collect::<Vec<_>>().try_into().ok()?;
        let pool = match pool {
            "sum" => Pool::Sum,
            "avg" => Pool::Avg,
            _ => Pool::Max,
        };
        let dim = match dim {
            "row" => ReduceDim::Row,
            "col" => ReduceDim::Col,
            _ => ReduceDim::Scalar,
        };
        let formats = ReduceFormats { data: case.input, scaler: case.scaler };
        let ones = pool == Pool::Max || kind == "reduceones";
        let scaler = case.src(if ones { 3 } else { 2 }, i);
        let mut before = Before { fresh: true, scratch_fresh: true };
        if kind == "reduceacc" {
            case.copy(1, i, &mut dst);
            before = Before { fresh: false, scratch_fresh: false };
        }
        super::reduce(cfg, pool, dim, formats, [&case.src(0, i), &scaler], before, &mut dst);
        if kind == "reduce2" {
            before = Before { fresh: false, scratch_fresh: true };
            super::reduce(cfg, pool, dim, formats, [&case.src(1, i), &scaler], before, &mut dst);
        }
        mask(cfg, dim, &mut dst);
        return Some(dst);
    }
    match op {
        "transpose" if case.cfg.approx => {
            case.direct(0, i, &mut dst);
            transpose(true, true, &mut dst);
        }
        "transpose" => super::transpose_tile(cfg, case.input, case.l1(0, i), true, true, &mut dst),
        "copyt10" => super::copy_transposed(cfg, case.input, case.l1(0, i), true, false, &mut dst),
        "copyt01" => super::copy_transposed(cfg, case.input, case.l1(0, i), false, true, &mut dst),
        "copyt11" => super::copy_transposed(cfg, case.input, case.l1(0, i), true, true, &mut dst),
        "transpose_dest" => {
            if case.cfg.approx {
                case.direct(0, i, &mut dst);
            } else {
                case.copy(0, i, &mut dst);
            }
            transpose(true, true, &mut dst);
        }
        "mm_transpose_dest" => {
            super::mul_tiles(cfg, &case.src(0, i), &case.src(1, i), &mut dst);
            transpose(true, true, &mut dst);
        }
        _ => return None,
    }
    Some(dst)
}
