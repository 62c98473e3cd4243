//! Tile calls of the matrix unit and the packer beyond copy, binary operations and matrix products: which units they use, and their C++.
//!
//! One value of [`TileCall`] names an operation with its template arguments. The IR, the passes that place inits, the writer and the
//! simulator all take what they need to know from here.

use super::BinaryOp;

/// Which part of the second operand a broadcast repeats (`BroadcastType`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Bcast {
    /// One row, for every row.
    Row,
    /// Column 0, for every column.
    Col,
    /// Element [0, 0], for all.
    Scalar,
}

impl Bcast {
    pub const ALL: [Bcast; 3] = [Bcast::Row, Bcast::Col, Bcast::Scalar];

    pub const fn cpp(self) -> &'static str {
        ["BroadcastType::ROW", "BroadcastType::COL", "BroadcastType::SCALAR"][self as usize]
    }
}

/// How a reduction combines elements (`PoolType`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Pool {
    Sum,
    /// The same instructions as `Sum`: the scaler makes the difference.
    Avg,
    Max,
}

impl Pool {
    pub const ALL: [Pool; 3] = [Pool::Sum, Pool::Avg, Pool::Max];

    pub const fn cpp(self) -> &'static str {
        ["PoolType::SUM", "PoolType::AVG", "PoolType::MAX"][self as usize]
    }
}

/// The direction that a reduction removes (`ReduceDim`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ReduceDim {
    /// Each row to one value, in column 0.
    Row,
    /// Each column to one value, in row 0.
    Col,
    /// All to element [0, 0].
    Scalar,
}

impl ReduceDim {
    pub const ALL: [ReduceDim; 3] = [ReduceDim::Row, ReduceDim::Col, ReduceDim::Scalar];

    pub const fn cpp(self) -> &'static str {
        ["ReduceDim::REDUCE_ROW", "ReduceDim::REDUCE_COL", "ReduceDim::REDUCE_SCALAR"][self as usize]
    }

    /// What the packer keeps of a tile while a reduction's init is in force.
    pub const fn kept(self) -> &'static str {
        ["column 0", "row 0", "element [0, 0]"][self as usize]
    }
}

/// A tile call. Operands in circular buffers come first, then numbers, in the order of the C++ function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum TileCall {
    /// Of `Add`, `Sub` and `Mul` alone: `(a, b, ia, ib, dst)`, for rows also with the row of `b`: `dst = a op b`, `b` broadcast; `Mul` adds.
    Bcast(BinaryOp, Bcast),
    /// `(cb, tile, dst)`.
    UnaryBcast(Bcast),
    /// `(cb, scaler, tile, scaler_tile, dst)`.
    Reduce(Pool, ReduceDim),
    /// `(cb, tile, dst)`.
    Transpose,
    /// `(cb, tile, dst)`: `copy_tile` under a `copy_init` with flags.
    CopyTransposed { faces: bool, within: bool },
    /// `(dst)`: in place.
    TransposeDest,
}

/// The source registers of the matrix unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// Operand number in SrcA and in SrcB.
    pub a: Option<usize>,
    pub b: Option<usize>,
}

impl TileCall {
    pub const fn header(self) -> &'static str {
        match self {
            TileCall::Bcast(..) | TileCall::UnaryBcast(_) => "api/compute/bcast.h",
            TileCall::Reduce(..) => "api/compute/reduce.h",
            TileCall::Transpose => "api/compute/transpose.h",
            TileCall::CopyTransposed { .. } => "api/compute/tile_move_copy.h",
            TileCall::TransposeDest => "api/compute/transpose_dest.h",
        }
    }

    /// Number of operands in circular buffers, all of them read.
    pub const fn buffers(self) -> usize {
        match self {
            TileCall::Bcast(..) | TileCall::Reduce(..) => 2,
            TileCall::UnaryBcast(_) | TileCall::Transpose | TileCall::CopyTransposed { .. } => 1,
            TileCall::TransposeDest => 0,
        }
    }

    /// Which operands go to which source register, for their formats.
    pub const fn sources(self) -> Sources {
        match self {
            TileCall::Bcast(..) => Sources { a: Some(0), b: Some(1) },
            // A sum over rows is a matrix product with the scaler as its right operand.
            TileCall::Reduce(Pool::Sum | Pool::Avg, ReduceDim::Row) => Sources { a: Some(1), b: Some(0) },
            TileCall::Reduce(..) => Sources { a: Some(0), b: Some(1) },
            // The tile goes to SrcB, and is moved on as what SrcA is set to.
            TileCall::UnaryBcast(_) => Sources { a: Some(0), b: Some(0) },
            TileCall::Transpose | TileCall::CopyTransposed { .. } => Sources { a: Some(0), b: None },
            TileCall::TransposeDest => Sources { a: None, b: None },
        }
    }

    /// The register is read: nothing accumulates into a register that was never written, but this needs a value.
    pub const fn reads_register(self) -> bool {
        matches!(self, TileCall::TransposeDest)
    }

    /// The C++ function; `wide` for 32-bit tile registers.
    pub fn call(self, wide: bool) -> String {
        match self {
            TileCall::Bcast(..) => self.name().to_owned(),
            TileCall::UnaryBcast(dim) => format!("unary_bcast<{}>", dim.cpp()),
            TileCall::Reduce(pool, dim) => format!("reduce_tile<{}, {}>", pool.cpp(), dim.cpp()),
            TileCall::Transpose => "transpose_tile".to_owned(),
            TileCall::CopyTransposed { .. } => "copy_tile".to_owned(),
            TileCall::TransposeDest if wide => "transpose_dest<true>".to_owned(),
            TileCall::TransposeDest => "transpose_dest".to_owned(),
        }
    }

    /// The C++ init.
    pub fn init(self, wide: bool) -> String {
        match self {
            TileCall::Bcast(..) => self.init_name().to_owned(),
            TileCall::UnaryBcast(dim) => format!("unary_bcast_init<{}>", dim.cpp()),
            TileCall::Reduce(pool, dim) => format!("reduce_init<{}, {}>", pool.cpp(), dim.cpp()),
            TileCall::Transpose => "transpose_init".to_owned(),
            TileCall::CopyTransposed { .. } => "copy_init".to_owned(),
            TileCall::TransposeDest if wide => "transpose_dest_init<true>".to_owned(),
            TileCall::TransposeDest => "transpose_dest_init".to_owned(),
        }
    }

    /// The C++ function that undoes the init, before any other operation of the matrix unit. (That of `unary_bcast` does nothing on either chip.)
    pub const fn undo(self) -> Option<&'static str> {
        match self {
            TileCall::Reduce(..) => Some("reduce_uninit"),
            _ => None,
        }
    }

    /// Short names for messages, without template arguments.
    pub const fn name(self) -> &'static str {
        match self {
            TileCall::Bcast(op, dim) => BCAST_CALLS[bcast_row(op)][dim as usize].0,
            TileCall::UnaryBcast(_) => "unary_bcast",
            TileCall::Reduce(..) => "reduce_tile",
            TileCall::Transpose => "transpose_tile",
            TileCall::CopyTransposed { .. } => "copy_tile",
            TileCall::TransposeDest => "transpose_dest",
        }
    }

    pub const fn init_name(self) -> &'static str {
        match self {
            TileCall::Bcast(op, dim) => BCAST_CALLS[bcast_row(op)][dim as usize].1,
            TileCall::UnaryBcast(_) => "unary_bcast_init",
            TileCall::Reduce(..) => "reduce_init",
            TileCall::Transpose => "transpose_init",
            TileCall::CopyTransposed { .. } => "copy_init",
            TileCall::TransposeDest => "transpose_dest_init",
        }
    }

    /// Whether there is such a call.
    pub const fn exists(self) -> bool {
        !matches!(self, TileCall::Bcast(op, _) if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul))
    }

    /// The call of a method of tile registers.
    pub fn from_method(name: &str) -> Option<TileCall> {
        METHODS.iter().find(|(method, _)| *method == name).map(|(_, call)| *call)
    }
}

/// Only these three have broadcasts.
const fn bcast_row(op: BinaryOp) -> usize {
    match op {
        BinaryOp::Add => 0,
        BinaryOp::Sub => 1,
        _ => 2,
    }
}

const BCAST_CALLS: [[(&str, &str); 3]; 3] = [
    [
        ("add_tiles_bcast_rows", "add_bcast_rows_init"),
        ("add_tiles_bcast_cols", "add_bcast_cols_init"),
        ("add_tiles_bcast_scalar", "add_bcast_scalar_init"),
    ],
    [
        ("sub_tiles_bcast_rows", "sub_bcast_rows_init"),
        ("sub_tiles_bcast_cols", "sub_bcast_cols_init"),
        ("sub_tiles_bcast_scalar", "sub_bcast_scalar_init"),
    ],
    [
        ("mul_tiles_bcast_rows", "mul_bcast_rows_init"),
        ("mul_tiles_bcast_cols", "mul_bcast_cols_init"),
        ("mul_tiles_bcast_scalar", "mul_bcast_scalar_init"),
    ],
];

macro_rules! methods {
    ($($method:literal => $call:expr,)*) => {
        /// Methods of tile registers and the calls they are.
        pub const METHODS: &[(&str, TileCall)] = &[$(($method, $call)),*];
    };
}

use BinaryOp::{Add, Mul, Sub};
methods! {
    "add_tiles_bcast_rows" => TileCall::Bcast(Add, Bcast::Row),
    "add_tiles_bcast_cols" => TileCall::Bcast(Add, Bcast::Col),
    "add_tiles_bcast_scalar" => TileCall::Bcast(Add, Bcast::Scalar),
    "sub_tiles_bcast_rows" => TileCall::Bcast(Sub, Bcast::Row),
    "sub_tiles_bcast_cols" => TileCall::Bcast(Sub, Bcast::Col),
    "sub_tiles_bcast_scalar" => TileCall::Bcast(Sub, Bcast::Scalar),
    "mul_tiles_bcast_rows" => TileCall::Bcast(Mul, Bcast::Row),
    "mul_tiles_bcast_cols" => TileCall::Bcast(Mul, Bcast::Col),
    "mul_tiles_bcast_scalar" => TileCall::Bcast(Mul, Bcast::Scalar),
    "add_tiles_bcast_row_at" => TileCall::Bcast(Add, Bcast::Row),
    "sub_tiles_bcast_row_at" => TileCall::Bcast(Sub, Bcast::Row),
    "mul_tiles_bcast_row_at" => TileCall::Bcast(Mul, Bcast::Row),
    "unary_bcast_rows" => TileCall::UnaryBcast(Bcast::Row),
    "unary_bcast_cols" => TileCall::UnaryBcast(Bcast::Col),
    "unary_bcast_scalar" => TileCall::UnaryBcast(Bcast::Scalar),
    "reduce_sum_row" => TileCall::Reduce(Pool::Sum, ReduceDim::Row),
    "reduce_sum_col" => TileCall::Reduce(Pool::Sum, ReduceDim::Col),
    "reduce_sum_scalar" => TileCall::Reduce(Pool::Sum, ReduceDim::Scalar),
    "reduce_avg_row" => TileCall::Reduce(Pool::Avg, ReduceDim::Row),
    "reduce_avg_col" => TileCall::Reduce(Pool::Avg, ReduceDim::Col),
    "reduce_avg_scalar" => TileCall::Reduce(Pool::Avg, ReduceDim::Scalar),
    "reduce_max_row" => TileCall::Reduce(Pool::Max, ReduceDim::Row),
    "reduce_max_col" => TileCall::Reduce(Pool::Max, ReduceDim::Col),
    "reduce_max_scalar" => TileCall::Reduce(Pool::Max, ReduceDim::Scalar),
    "transpose_tile" => TileCall::Transpose,
    "transpose_faces" => TileCall::CopyTransposed { faces: true, within: false },
    "transpose_within_faces" => TileCall::CopyTransposed { faces: false, within: true },
    "transpose_dest" => TileCall::TransposeDest,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_functions_that_are_called() {
        for (method, call) in METHODS {
            assert!(call.call(false).starts_with(call.name()), "{method}");
            assert!(call.init(false).starts_with(call.init_name()), "{method}");
            assert!(ttl_skeleton::is_method(method), "{method} is missing in the macros' list");
        }
    }
}
