//! The table of tile operations: one row per operation, from which the method, the C++ calls and the tests come.
//!
//! Headers and calls are those of TT-Metalium 0.81 (`api/compute/compute_kernel_api.h`, `api/compute/eltwise_unary/*.h`,
//! `api/compute/eltwise_binary*.h`).

mod calls;
mod reference;
mod unary;

pub use calls::{Bcast, METHODS as TILE_METHODS, Pool, ReduceDim, Sources, TileCall};
pub(crate) use unary::for_each_unary_op;
pub use unary::{UnaryOp, UnaryRow};

/// An element-wise operation of two tiles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
}

/// One row of the table of binary operations.
#[derive(Clone, Copy, Debug)]
pub struct BinaryRow {
    pub op: BinaryOp,
    /// Rust's operator.
    pub symbol: &'static str,
    /// Matrix unit: both operands in circular buffers. `mul_tiles` adds to the register, the other two overwrite it.
    pub fpu_init: &'static str,
    pub fpu_call: &'static str,
    /// Matrix unit: one operand in the register, the other in a circular buffer (template argument appended).
    pub reuse_init: &'static str,
    pub reuse_call: &'static str,
    /// SFPU: both operands in registers.
    pub sfpu_init: &'static str,
    pub sfpu_call: &'static str,
}

impl BinaryOp {
    pub const ALL: [BinaryOp; 3] = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul];

    pub const fn row(self) -> &'static BinaryRow {
        &BINARY[self as usize]
    }

    pub const fn commutes(self) -> bool {
        !matches!(self, BinaryOp::Sub)
    }
}

/// Header of the matrix-unit rows, and of the SFPU rows.
pub const BINARY_FPU_HEADER: &str = "api/compute/eltwise_binary.h";
pub const BINARY_SFPU_HEADER: &str = "api/compute/eltwise_binary_sfpu.h";

const BINARY: [BinaryRow; 3] = [
    BinaryRow {
        op: BinaryOp::Add,
        symbol: "+",
        fpu_init: "add_init",
        fpu_call: "add_tiles",
        reuse_init: "add_reuse_dest_init",
        reuse_call: "add_reuse_dest_tiles",
        sfpu_init: "add_binary_tile_init",
        sfpu_call: "add_binary_tile",
    },
    BinaryRow {
        op: BinaryOp::Sub,
        symbol: "-",
        fpu_init: "sub_init",
        fpu_call: "sub_tiles",
        reuse_init: "sub_reuse_dest_init",
        reuse_call: "sub_reuse_dest_tiles",
        sfpu_init: "sub_binary_tile_init",
        sfpu_call: "sub_binary_tile",
    },
    BinaryRow {
        op: BinaryOp::Mul,
        symbol: "*",
        fpu_init: "mul_init",
        fpu_call: "mul_tiles",
        reuse_init: "mul_reuse_dest_init",
        reuse_call: "mul_reuse_dest_tiles",
        sfpu_init: "mul_binary_tile_init",
        sfpu_call: "mul_binary_tile",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index() {
        for op in BinaryOp::ALL {
            assert_eq!(op.row().op, op);
        }
    }
}
