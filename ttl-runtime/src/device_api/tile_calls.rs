//! Tile calls beyond copy, binary operations and matrix products: broadcasts, reductions, transpositions.

use super::cb::Front;
use super::compute::TileRegs;
use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim, TileCall};
use crate::sim::ops;
use crate::site::Site;
use crate::tensor::format::Element;

macro_rules! broadcasts {
    ($($(#[$doc:meta])* $name:ident => $op:ident, $dim:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Element, U: Element>(&mut self, a: &Front<'_, T>, b: &Front<'_, U>, ia: u32, ib: u32, dst: u32) {
            let call = TileCall::Bcast(BinaryOp::$op, Bcast::$dim);
            ops::tile_call_auto(call, &[a.cb, b.cb], &[ia, ib], dst, 0, Site::caller());
        }
    )*};
}

macro_rules! broadcast_rows {
    ($($(#[$doc:meta])* $name:ident => $op:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Element, U: Element>(
            &mut self,
            a: &Front<'_, T>,
            b: &Front<'_, U>,
            ia: u32,
            ib: u32,
            dst: u32,
            row: u32,
        ) {
            let call = TileCall::Bcast(BinaryOp::$op, Bcast::Row);
            ops::tile_call_auto(call, &[a.cb, b.cb], &[ia, ib], dst, row, Site::caller());
        }
    )*};
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident => $pool:ident, $dim:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Element, U: Element>(
            &mut self,
            src: &Front<'_, T>,
            scaler: &Front<'_, U>,
            tile: u32,
            scaler_tile: u32,
            dst: u32,
        ) {
            let call = TileCall::Reduce(Pool::$pool, ReduceDim::$dim);
            ops::tile_call_auto(call, &[src.cb, scaler.cb], &[tile, scaler_tile], dst, 0, Site::caller());
        }
    )*};
}

macro_rules! moves {
    ($($(#[$doc:meta])* $name:ident => $call:expr;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Element>(&mut self, src: &Front<'_, T>, tile: u32, dst: u32) {
            ops::tile_call_auto($call, &[src.cb], &[tile], dst, 0, Site::caller());
        }
    )*};
}

/// Broadcasts: the second operand repeats one row for every row, its column 0 for every column, or its element [0, 0] everywhere.
impl TileRegs<'_> {
    broadcasts! {
        /// `dst = a + b`, with row 0 of `b` for every row.
        add_tiles_bcast_rows => Add, Row;
        /// `dst = a + b`, with column 0 of `b` for every column.
        add_tiles_bcast_cols => Add, Col;
        /// `dst = a + b`, with element [0, 0] of `b`.
        add_tiles_bcast_scalar => Add, Scalar;
        /// `dst = a - b`, with row 0 of `b` for every row.
        sub_tiles_bcast_rows => Sub, Row;
        /// `dst = a - b`, with column 0 of `b` for every column.
        sub_tiles_bcast_cols => Sub, Col;
        /// `dst = a - b`, with element [0, 0] of `b`.
        sub_tiles_bcast_scalar => Sub, Scalar;
        /// `dst += a * b`, with row 0 of `b` for every row.
        mul_tiles_bcast_rows => Mul, Row;
        /// `dst += a * b`, with column 0 of `b` for every column.
        mul_tiles_bcast_cols => Mul, Col;
        /// `dst += a * b`, with element [0, 0] of `b`.
        mul_tiles_bcast_scalar => Mul, Scalar;
    }

    broadcast_rows! {
        /// `dst = a + b`, with row `row` of `b` for every row (`add_tiles_bcast_rows` with its last argument).
        add_tiles_bcast_row_at => Add;
        /// `dst = a - b`, with row `row` of `b` for every row (`sub_tiles_bcast_rows` with its last argument).
        sub_tiles_bcast_row_at => Sub;
        /// `dst += a * b`, with row `row` of `b` for every row (`mul_tiles_bcast_rows` with its last argument).
        mul_tiles_bcast_row_at => Mul;
    }

    moves! {
        /// Row 0 of the tile as every row of the register (`unary_bcast<BroadcastType::ROW>`).
        unary_bcast_rows => TileCall::UnaryBcast(Bcast::Row);
        /// Column 0 of the tile as every column of the register (`unary_bcast<BroadcastType::COL>`).
        unary_bcast_cols => TileCall::UnaryBcast(Bcast::Col);
        /// Element [0, 0] of the tile everywhere in the register (`unary_bcast<BroadcastType::SCALAR>`).
        unary_bcast_scalar => TileCall::UnaryBcast(Bcast::Scalar);
    }
}

/// Reductions (`reduce_tile`). They add to the register, or take the maximum with it, so that many tiles reduce into one register. The
/// scaler is a tile whose value stands in row 0 of each face: it multiplies (twice in a reduction to a scalar), and must be 1.0 for maxima.
/// The result is column 0, row 0 or element [0, 0]; packed in the same section, the rest of the tile is zero.
impl TileRegs<'_> {
    reductions! {
        /// Adds the scaled sum of each row, in column 0.
        reduce_sum_row => Sum, Row;
        /// Adds the scaled sum of each column, in row 0.
        reduce_sum_col => Sum, Col;
        /// Adds the sum of all elements, scaled twice, in element [0, 0].
        reduce_sum_scalar => Sum, Scalar;
        /// Adds the mean of each row, with a scaler of 1/N, in column 0.
        reduce_avg_row => Avg, Row;
        /// Adds the mean of each column, with a scaler of 1/N, in row 0.
        reduce_avg_col => Avg, Col;
        /// Adds the mean of all elements, with a scaler of 1/sqrt(N), in element [0, 0].
        reduce_avg_scalar => Avg, Scalar;
        /// The largest of each row and what the register holds, in column 0.
        reduce_max_row => Max, Row;
        /// The largest of each column and what the register holds, in row 0.
        reduce_max_col => Max, Col;
        /// The largest of all elements and what the register holds, in element [0, 0].
        reduce_max_scalar => Max, Scalar;
    }
}

/// Transpositions.
impl TileRegs<'_> {
    moves! {
        /// The transpose of the tile.
        transpose_tile => TileCall::Transpose;
        /// The tile with its upper right and lower left faces exchanged (`copy_tile` after `copy_init(cb, 1)`).
        transpose_faces => TileCall::CopyTransposed { faces: true, within: false };
        /// The tile with each of its faces transposed (`copy_tile` after `copy_init(cb, 0, 1)`).
        transpose_within_faces => TileCall::CopyTransposed { faces: false, within: true };
    }

    /// Transposes a register in place.
    #[track_caller]
    pub fn transpose_dest(&mut self, dst: u32) {
        ops::tile_call_auto(TileCall::TransposeDest, &[], &[], dst, 0, Site::caller());
    }
}
