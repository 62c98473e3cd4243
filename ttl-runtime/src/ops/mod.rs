//! The table of tile operations: one row per operation, from which the methods, the C++ calls, the headers of the C++ engine and the tests come.
//!
//! Headers and calls are those of TT-Metalium 0.81 (`api/compute/compute_kernel_api.h`, `api/compute/eltwise_unary/*.h`,
//! `api/compute/eltwise_binary*.h`, ...). A name may hold `{dst}`, which stands for the data format of the tile registers.

mod binary;
mod calls;
mod param;
mod reference;
mod ternary;
mod unary;

pub(crate) use binary::for_each_binary_op;
pub use binary::{BINARY_FPU_HEADER, BinaryOp, BinaryRow, FpuRow, WithNumber};
pub use calls::{Bcast, METHODS as TILE_METHODS, Pool, ReduceDim, Relu, SfpuPool, Sources, TileCall, When};
pub(crate) use param::name_of_type;
pub use param::{MAX_WORDS, Param, Word};
pub use reference::Reference;
pub(crate) use ternary::for_each_ternary_op;
pub use ternary::{TernaryOp, TernaryRow};
pub(crate) use unary::for_each_unary_op;
pub use unary::{UnaryOp, UnaryRow};

/// What the values of a tile are. Operations of integers have rows of their own, which stand for the float operation of the same meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Kind {
    Float,
    I32,
    U32,
    U16,
}

/// A C++ name with the data format of the tile registers filled in.
pub fn with_register_format(name: &str, fp32_dest_acc: bool) -> String {
    name.replace("{dst}", if fp32_dest_acc { "DataFormat::Float32" } else { "DataFormat::Float16_b" })
}

/// Whether a result is as near to the exact value as a row says. What an f32 cannot hold is an infinity or zero.
fn close(exact: f64, result: f64, bound: f64, absolute: f64) -> bool {
    if exact.is_nan() {
        return result.is_nan();
    }
    if exact.abs() > f64::from(f32::MAX) {
        return result == exact.signum() * f64::INFINITY;
    }
    // At least half a unit in the last place of an f32; steps of an operation may be so small that they are flushed.
    let relative = bound.max(6e-8) * exact.abs();
    (result - exact).abs() <= relative.max(absolute).max(1e-36)
}

/// Words of a row: those given, or each parameter as it is.
macro_rules! words {
    ([]) => { &[] };
    ([$a:ident]) => { &[$crate::ops::Word::Bits(0)] };
    ([$a:ident $b:ident]) => { &[$crate::ops::Word::Bits(0), $crate::ops::Word::Bits(1)] };
    ([$a:ident $b:ident $c:ident]) => { &[$crate::ops::Word::Bits(0), $crate::ops::Word::Bits(1), $crate::ops::Word::Bits(2)] };
    ([$($name:ident)*] $($word:expr),+) => { &[$($word),+] };
}
use words;

/// The exact function by the number of its parameters.
macro_rules! exact {
    ([] $f:expr) => {
        $crate::ops::Reference::F1($f)
    };
    ([$a:ident] $f:expr) => {
        $crate::ops::Reference::F2($f)
    };
    ([$a:ident $b:ident] $f:expr) => {
        $crate::ops::Reference::F3($f)
    };
    ([$a:ident $b:ident $c:ident] $f:expr) => {
        $crate::ops::Reference::F4($f)
    };
}
use exact;

macro_rules! is_set {
    () => {
        false
    };
    ($flag:ident) => {
        true
    };
}
use is_set;

macro_rules! base {
    ($op:ident) => {
        None
    };
    ($op:ident $base:ident) => {
        Some($op::$base)
    };
}
use base;

#[cfg(test)]
mod tests {
    use super::*;

    /// The macros know the methods by a list of their own, since their crate is built before this one.
    #[test]
    fn macros_know_the_same_methods() {
        let unary = UnaryOp::ALL.iter().map(|op| (op.row().method, op.row().tile_method));
        let binary = BinaryOp::ALL.iter().map(|op| (op.row().method, op.row().tile_method));
        let ternary = TernaryOp::ALL.iter().map(|op| (op.row().method, op.row().tile_method));
        let names: Vec<(&str, &str)> = unary.chain(binary).chain(ternary).collect();
        let know = ttl_skeleton::OPERATIONS;
        let missing: Vec<_> = names.iter().filter(|n| !know.contains(n)).map(|(a, b)| format!("{a} {b},")).collect();
        assert!(missing.is_empty(), "these belong into methods/ops.rs of the skeleton crate:\n{}", missing.join("\n"));
        let extra: Vec<_> = know.iter().filter(|n| !names.contains(n)).collect();
        assert!(extra.is_empty(), "no rows: {extra:?}");
    }
}
