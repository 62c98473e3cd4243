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
    CopyTransposed {
        faces: bool,
        within: bool,
    },
    /// `(dst)`: in place.
    TransposeDest,
    /// Of `Add` and `Sub`: `(a, b, ia, ib, dst)`, `dst += a op b`.
    Acc(BinaryOp),
    /// `(a, b, ia, ib, dst)`: `dst += a . transpose of b`.
    MatmulTransposed,
    /// `(cb, tile, dst, n)`: what the calls without `Block` do, for consecutive tiles and registers.
    CopyBlock,
    TransposeBlock,
    /// `(a, b, ia, ib, dst, n)`.
    BinaryBlock(BinaryOp),
    /// `(dst, cb, n)`: consecutive registers to the next pages.
    PackBlock,
    /// `(dst, cb, index)`: `pack_tile<true>` that adds to what the page holds.
    PackAcc,
    /// `()`, or `(threshold)` as bf16 bits: what the packer does to each value from now on.
    PackRelu(Relu),
    /// `(cb, block, out)`: rows of `32 * block` elements to tiles. Has registers of its own.
    Tilize,
    /// `(cb, block, out)`: tiles to rows of `32 * block` elements. Has registers of its own.
    PackUntilize,
    /// `(cb, block, full, out, column)`: the same to a part of longer rows, of `32 * full` elements.
    PackUntilizePart,
    /// `(block, full, out, rows, column)`: registers to rows of elements.
    PackUntilizeDest,
    /// `(dst, first)`: sums down the columns, on the vector unit; `first` is 0 where they go on from the tile before.
    Cumsum,
    /// `(dst)`: in place, on the vector unit.
    SfpuReduce(SfpuPool, ReduceDim),
}

/// How a reduction of the vector unit combines elements (`PoolType`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum SfpuPool {
    Sum,
    Avg,
    Max,
    Min,
}

impl SfpuPool {
    pub const fn cpp(self) -> &'static str {
        ["PoolType::SUM", "PoolType::AVG", "PoolType::MAX", "PoolType::MIN"][self as usize]
    }
}

/// What the packer does to values (`ReluConfig`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Relu {
    None,
    /// Negative values become zero.
    Zero,
    /// Values up to the threshold become zero.
    Min,
    /// Negative values become zero, values above the threshold the threshold.
    Max,
}

impl Relu {
    const fn cpp(self) -> &'static str {
        ["none", "zero", "min_threshold", "max_threshold"][self as usize]
    }
}

/// The state of the tile registers that a call is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    Always,
    Free,
    Acquired,
    Packing,
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
            TileCall::Acc(_) | TileCall::BinaryBlock(_) => "api/compute/eltwise_binary.h",
            TileCall::MatmulTransposed => "api/compute/matmul.h",
            TileCall::CopyBlock => "api/compute/tile_move_copy.h",
            TileCall::TransposeBlock => "api/compute/transpose.h",
            TileCall::PackBlock | TileCall::PackAcc | TileCall::PackRelu(_) => "api/compute/pack.h",
            TileCall::Tilize => "api/compute/tilize.h",
            TileCall::PackUntilize | TileCall::PackUntilizePart | TileCall::PackUntilizeDest => {
                "api/compute/pack_untilize.h"
            }
            TileCall::Cumsum => "api/compute/cumsum.h",
            TileCall::SfpuReduce(..) => "api/compute/compute_kernel_api.h",
        }
    }

    /// Number of operands in circular buffers.
    pub const fn buffers(self) -> usize {
        match self {
            TileCall::Bcast(..) | TileCall::Reduce(..) | TileCall::Acc(_) | TileCall::MatmulTransposed => 2,
            TileCall::BinaryBlock(_) | TileCall::Tilize | TileCall::PackUntilize | TileCall::PackUntilizePart => 2,
            TileCall::UnaryBcast(_) | TileCall::Transpose | TileCall::CopyTransposed { .. } => 1,
            TileCall::CopyBlock | TileCall::TransposeBlock | TileCall::PackBlock | TileCall::PackAcc => 1,
            TileCall::PackUntilizeDest => 1,
            TileCall::TransposeDest | TileCall::PackRelu(_) | TileCall::Cumsum | TileCall::SfpuReduce(..) => 0,
        }
    }

    /// The buffer that is written.
    pub const fn output(self) -> Option<usize> {
        match self {
            TileCall::PackBlock | TileCall::PackAcc | TileCall::PackUntilizeDest => Some(0),
            TileCall::Tilize | TileCall::PackUntilize | TileCall::PackUntilizePart => Some(1),
            _ => None,
        }
    }

    /// Whether the operand at a place of the C++ call is a buffer; else it is a number.
    pub const fn is_buffer(self, at: usize) -> bool {
        match self {
            TileCall::PackBlock | TileCall::PackAcc => at == 1,
            TileCall::Tilize | TileCall::PackUntilize => at == 0 || at == 2,
            TileCall::PackUntilizePart => at == 0 || at == 3,
            TileCall::PackUntilizeDest => at == 2,
            _ => at < self.buffers(),
        }
    }

    /// Which of the numbers is the register.
    pub const fn register(self) -> Option<usize> {
        match self {
            TileCall::PackBlock | TileCall::PackAcc => Some(0),
            TileCall::PackRelu(_) | TileCall::Tilize | TileCall::PackUntilize => None,
            TileCall::PackUntilizePart | TileCall::PackUntilizeDest => None,
            _ => Some(self.buffers()),
        }
    }

    /// In what state the tile registers must be.
    pub const fn when(self) -> When {
        match self {
            TileCall::PackBlock | TileCall::PackAcc | TileCall::PackUntilizeDest => When::Packing,
            TileCall::PackRelu(_) => When::Always,
            TileCall::Tilize | TileCall::PackUntilize | TileCall::PackUntilizePart => When::Free,
            _ => When::Acquired,
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
            TileCall::Acc(_) | TileCall::BinaryBlock(_) => Sources { a: Some(0), b: Some(1) },
            TileCall::MatmulTransposed => Sources { a: Some(1), b: Some(0) },
            TileCall::CopyBlock | TileCall::TransposeBlock => Sources { a: Some(0), b: None },
            TileCall::Tilize | TileCall::PackUntilize | TileCall::PackUntilizePart => Sources { a: Some(0), b: None },
            TileCall::PackBlock | TileCall::PackAcc | TileCall::PackRelu(_) | TileCall::PackUntilizeDest => {
                Sources { a: None, b: None }
            }
            TileCall::Cumsum | TileCall::SfpuReduce(..) => Sources { a: None, b: None },
        }
    }

    /// The register is read: nothing accumulates into a register that was never written, but this needs a value.
    pub const fn reads_register(self) -> bool {
        matches!(self, TileCall::TransposeDest) || self.on_vector_unit()
    }

    /// The vector unit does it, so that its init is one of that unit.
    pub const fn on_vector_unit(self) -> bool {
        matches!(self, TileCall::Cumsum | TileCall::SfpuReduce(..))
    }

    /// How many of its numbers are template arguments, constants therefore: the first ones.
    pub const fn constants(self) -> usize {
        match self {
            TileCall::PackUntilize => 1,
            TileCall::PackUntilizePart | TileCall::PackUntilizeDest => 2,
            _ => 0,
        }
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
            TileCall::PackAcc => "pack_tile<true>".to_owned(),
            TileCall::PackRelu(relu) => format!("pack_relu_config(ReluConfig::{}", relu.cpp()),
            TileCall::SfpuReduce(pool, dim) => {
                format!("sfpu_reduce<{}, {}, {}>", pool.cpp(), register_format(wide), dim.cpp())
            }
            call => call.name().to_owned(),
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
            TileCall::SfpuReduce(pool, _) => {
                format!("sfpu_reduce_init<{}, {}>", pool.cpp(), register_format(wide))
            }
            call => call.init_name().to_owned(),
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
            TileCall::Acc(BinaryOp::Sub) => "sub_tiles",
            TileCall::Acc(_) => "add_tiles",
            TileCall::MatmulTransposed => "matmul_tiles",
            TileCall::CopyBlock => "copy_block",
            TileCall::TransposeBlock => "transpose_block",
            TileCall::BinaryBlock(op) => ["add_block", "sub_block", "mul_block"][bcast_row(op)],
            TileCall::PackBlock => "pack_block",
            TileCall::PackAcc => "pack_tile",
            TileCall::PackRelu(_) => "pack_relu_config",
            TileCall::Tilize => "tilize_block",
            TileCall::PackUntilize | TileCall::PackUntilizePart => "pack_untilize_block",
            TileCall::PackUntilizeDest => "pack_untilize_dest",
            TileCall::Cumsum => "cumsum_tile",
            TileCall::SfpuReduce(..) => "sfpu_reduce",
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
            TileCall::Acc(op) | TileCall::BinaryBlock(op) => ["add_init", "sub_init", "mul_init"][bcast_row(op)],
            TileCall::MatmulTransposed => "matmul_init",
            TileCall::CopyBlock => "copy_init",
            TileCall::TransposeBlock => "transpose_init",
            TileCall::PackBlock | TileCall::PackAcc | TileCall::PackRelu(_) => "pack_init",
            TileCall::Tilize => "tilize_init",
            TileCall::PackUntilize | TileCall::PackUntilizePart => "pack_untilize_init",
            TileCall::PackUntilizeDest => "pack_untilize_dest_init",
            TileCall::Cumsum => "cumsum_tile_init",
            TileCall::SfpuReduce(..) => "sfpu_reduce_init",
        }
    }

    /// Whether there is such a call.
    pub const fn exists(self) -> bool {
        !matches!(self, TileCall::Bcast(op, _) | TileCall::Acc(op) | TileCall::BinaryBlock(op) if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul))
    }

    /// The call whose init serves this one.
    pub const fn prepared(self) -> TileCall {
        match self {
            TileCall::SfpuReduce(pool, _) => TileCall::SfpuReduce(pool, ReduceDim::Row),
            call => call,
        }
    }

    /// The call of a method of tile registers.
    pub fn from_method(name: &str) -> Option<TileCall> {
        METHODS.iter().find(|(method, _)| *method == name).map(|(_, call)| *call)
    }
}

/// The format of tile registers for the vector unit.
const fn register_format(wide: bool) -> &'static str {
    if wide { "DataFormat::Float32" } else { "DataFormat::Float16_b" }
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
    "add_tiles_acc" => TileCall::Acc(Add),
    "sub_tiles_acc" => TileCall::Acc(Sub),
    "matmul_tiles_transposed" => TileCall::MatmulTransposed,
    "copy_block" => TileCall::CopyBlock,
    "transpose_block" => TileCall::TransposeBlock,
    "add_block" => TileCall::BinaryBlock(Add),
    "sub_block" => TileCall::BinaryBlock(Sub),
    "mul_block" => TileCall::BinaryBlock(Mul),
    "pack_block" => TileCall::PackBlock,
    "pack_tile_l1_acc" => TileCall::PackAcc,
    "pack_relu_none" => TileCall::PackRelu(Relu::None),
    "pack_relu_zero" => TileCall::PackRelu(Relu::Zero),
    "pack_relu_min_threshold" => TileCall::PackRelu(Relu::Min),
    "pack_relu_max_threshold" => TileCall::PackRelu(Relu::Max),
    "tilize_block" => TileCall::Tilize,
    "pack_untilize_block" => TileCall::PackUntilize,
    "pack_untilize_block_part" => TileCall::PackUntilizePart,
    "pack_untilize_dest" => TileCall::PackUntilizeDest,
    "cumsum_tile" => TileCall::Cumsum,
    "sfpu_reduce_sum_row" => TileCall::SfpuReduce(SfpuPool::Sum, ReduceDim::Row),
    "sfpu_reduce_max_row" => TileCall::SfpuReduce(SfpuPool::Max, ReduceDim::Row),
    "sfpu_reduce_min_row" => TileCall::SfpuReduce(SfpuPool::Min, ReduceDim::Row),
    "sfpu_reduce_sum_col" => TileCall::SfpuReduce(SfpuPool::Sum, ReduceDim::Col),
    "sfpu_reduce_avg_col" => TileCall::SfpuReduce(SfpuPool::Avg, ReduceDim::Col),
    "sfpu_reduce_max_col" => TileCall::SfpuReduce(SfpuPool::Max, ReduceDim::Col),
    "sfpu_reduce_min_col" => TileCall::SfpuReduce(SfpuPool::Min, ReduceDim::Col),
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
