//! Tile calls beyond copy, binary operations and matrix products: broadcasts, reductions, transpositions.

use super::cb::{Front, Reserved};
use super::compute::{Compute, PackRegs, TileRegs};
use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim, Relu, SfpuPool, TileCall};
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

macro_rules! blocks {
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
            tiles: u32,
        ) {
            let site = Site::caller();
            for i in 0..tiles {
                ops::binary_tiles(BinaryOp::$op, a.cb, b.cb, ia + i, ib + i, dst + i, site);
            }
        }
    )*};
}

/// Calls that accumulate, and calls for consecutive tiles and registers.
impl TileRegs<'_> {
    /// `dst += a + b` (`add_tiles` after `add_init` with its last argument).
    #[track_caller]
    pub fn add_tiles_acc<T: Element, U: Element>(
        &mut self,
        a: &Front<'_, T>,
        b: &Front<'_, U>,
        ia: u32,
        ib: u32,
        dst: u32,
    ) {
        ops::binary_tiles_acc(BinaryOp::Add, [a.cb, b.cb], [ia, ib], dst, Site::caller());
    }

    /// `dst += a - b` (`sub_tiles` after `sub_init` with its last argument).
    #[track_caller]
    pub fn sub_tiles_acc<T: Element, U: Element>(
        &mut self,
        a: &Front<'_, T>,
        b: &Front<'_, U>,
        ia: u32,
        ib: u32,
        dst: u32,
    ) {
        ops::binary_tiles_acc(BinaryOp::Sub, [a.cb, b.cb], [ia, ib], dst, Site::caller());
    }

    /// `dst += a * transpose of b`, a matrix product of tiles (`matmul_tiles` after `matmul_init(a, b, 1)`).
    #[track_caller]
    pub fn matmul_tiles_transposed<T: Element, U: Element>(
        &mut self,
        a: &Front<'_, T>,
        b: &Front<'_, U>,
        ia: u32,
        ib: u32,
        dst: u32,
    ) {
        ops::matmul_transposed([a.cb, b.cb], [ia, ib], dst, Site::caller());
    }

    /// Tiles from `tile` on into registers from `dst` on.
    #[track_caller]
    pub fn copy_block<T: Element>(&mut self, src: &Front<'_, T>, tile: u32, dst: u32, tiles: u32) {
        let site = Site::caller();
        for i in 0..tiles {
            ops::copy(src.cb, tile + i, dst + i, site);
        }
    }

    /// The transposes of tiles from `tile` on into registers from `dst` on.
    #[track_caller]
    pub fn transpose_block<T: Element>(&mut self, src: &Front<'_, T>, tile: u32, dst: u32, tiles: u32) {
        let site = Site::caller();
        for i in 0..tiles {
            ops::tile_call_auto(TileCall::Transpose, &[src.cb], &[tile + i], dst + i, 0, site);
        }
    }

    blocks! {
        /// `dst = a + b` for consecutive tiles and registers.
        add_block => Add;
        /// `dst = a - b` for consecutive tiles and registers.
        sub_block => Sub;
        /// `dst += a * b` for consecutive tiles and registers.
        mul_block => Mul;
    }
}

macro_rules! vector_reductions {
    ($($(#[$doc:meta])* $name:ident => $pool:ident, $dim:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(&mut self, dst: u32) {
            let call = TileCall::SfpuReduce(SfpuPool::$pool, ReduceDim::$dim);
            ops::tile_call_auto(call, &[], &[], dst, 0, Site::caller());
        }
    )*};
}

/// Calls of the vector unit across rows and columns: in place, with the precision of the register.
impl TileRegs<'_> {
    /// Sums down the columns of the register. With `first` false they go on from the register before, so that a column of tiles is summed tile after
    /// tile; no other operation of the vector unit may come between (`cumsum_tile`).
    #[track_caller]
    pub fn cumsum_tile(&mut self, dst: u32, first: bool) {
        ops::tile_call_auto(TileCall::Cumsum, &[], &[], dst, u32::from(first), Site::caller());
    }

    vector_reductions! {
        /// The sum of each row, in column 0; what the rest of the register holds is not told (`sfpu_reduce`).
        sfpu_reduce_sum_row => Sum, Row;
        /// The largest of each row, in column 0.
        sfpu_reduce_max_row => Max, Row;
        /// The smallest of each row, in column 0.
        sfpu_reduce_min_row => Min, Row;
        /// The sum of each column, in row 0.
        sfpu_reduce_sum_col => Sum, Col;
        /// The mean of each column, in row 0.
        sfpu_reduce_avg_col => Avg, Col;
        /// The largest of each column, in row 0.
        sfpu_reduce_max_col => Max, Col;
        /// The smallest of each column, in row 0.
        sfpu_reduce_min_col => Min, Col;
    }
}

impl PackRegs<'_> {
    /// Registers to rows of elements: `rows` rows of `block` registers each, from register 0 on, become 32 rows of `32 * full` elements each. A
    /// block smaller than `full` fills part `column` of them. `block` and `full` are constants (`pack_untilize_dest` with its init and
    /// uninit).
    #[track_caller]
    pub fn pack_untilize_dest<T: Element>(
        &mut self,
        block: u32,
        full: u32,
        out: &mut Reserved<'_, T>,
        rows: u32,
        column: u32,
    ) {
        ops::pack_untilize_registers([block, full], out.cb, rows, column, Site::caller());
    }

    /// Registers from `dst` on to the next pages of `out`.
    #[track_caller]
    pub fn pack_block<T: Element>(&mut self, dst: u32, out: &mut Reserved<'_, T>, tiles: u32) {
        let site = Site::caller();
        for i in 0..tiles {
            ops::pack(dst + i, out.cb, None, site);
        }
    }

    /// Adds register `dst` to what page `index` of `out` holds, in L1 (`pack_tile<true>` under `pack_reconfig_l1_acc(1)`). For bf16 and f32.
    #[track_caller]
    pub fn pack_tile_l1_acc<T: Element>(&mut self, dst: u32, out: &mut Reserved<'_, T>, index: u32) {
        ops::pack_acc(dst, out.cb, index, Site::caller());
    }
}

/// What the packer does to values from now on, and changes of layout.
impl Compute {
    /// Values are packed as they are (`pack_relu_config(ReluConfig::none())`).
    #[track_caller]
    pub fn pack_relu_none(&self) {
        ops::pack_relu(Relu::None, 0, Site::caller());
    }

    /// Negative values are packed as zero (`ReluConfig::zero()`).
    #[track_caller]
    pub fn pack_relu_zero(&self) {
        ops::pack_relu(Relu::Zero, 0, Site::caller());
    }

    /// Values up to the threshold, which is the upper half of an f32, are packed as zero (`ReluConfig::min_threshold`).
    #[track_caller]
    pub fn pack_relu_min_threshold(&self, threshold: u32) {
        ops::pack_relu(Relu::Min, threshold, Site::caller());
    }

    /// Negative values are packed as zero, values above the threshold as the threshold (`ReluConfig::max_threshold`).
    #[track_caller]
    pub fn pack_relu_max_threshold(&self, threshold: u32) {
        ops::pack_relu(Relu::Max, threshold, Site::caller());
    }

    /// 32 rows of `32 * block` elements to `block` tiles (`tilize_block` with its init and uninit). It uses the tile registers.
    #[track_caller]
    pub fn tilize_block<T: Element, U: Element>(&self, rows: &Front<'_, T>, block: u32, out: &mut Reserved<'_, U>) {
        ops::tilize(rows.cb, block, out.cb, Site::caller());
    }

    /// `block` tiles to 32 rows of `32 * block` elements (`pack_untilize_block` with its init and uninit). It uses the tile registers, as many as
    /// there are tiles; the number of tiles is a constant.
    #[track_caller]
    pub fn pack_untilize_block<T: Element, U: Element>(
        &self,
        tiles: &Front<'_, T>,
        block: u32,
        out: &mut Reserved<'_, U>,
    ) {
        ops::pack_untilize(tiles.cb, block, out.cb, Site::caller());
    }

    /// `block` tiles to part `column` of 32 rows of `32 * full` elements, as [`Compute::pack_untilize_block`]; `block` and `full` are constants.
    #[track_caller]
    pub fn pack_untilize_block_part<T: Element, U: Element>(
        &self,
        tiles: &Front<'_, T>,
        block: u32,
        full: u32,
        out: &mut Reserved<'_, U>,
        column: u32,
    ) {
        ops::pack_untilize_part(tiles.cb, [block, full], out.cb, column, Site::caller());
    }
}
