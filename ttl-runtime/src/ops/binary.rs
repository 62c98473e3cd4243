//! Element-wise operations of two tiles.
//!
//! ```text
//! Variant: method, tile_method in "header of api/compute", exact function, within relative error, options;
//! ```
//!
//! The options, in this order: `or` an absolute error; `on` the operands for which the bound holds; C++ names where they differ from the tile method: `template`, `call`,
//! `init`; `by` the program; `scalar`, `reversed`: the unary operation for a number on the right, and for one on the left; `fpu`: init and call of the matrix unit, for
//! two circular buffers and for one and a register; `adjacent registers` if the second register must follow the first, which then holds the result; `kind`.

use super::{Kind, Reference, UnaryOp, reference};

macro_rules! binary_ops {
    (($d:tt) $(
        $(#[$doc:meta])*
        $op:ident: $method:ident, $tile:ident in $header:literal, $reference:expr, within $bound:expr
            $(, or $absolute:literal)? $(, on [$from:expr, $to:expr])? $(, template $template:literal)? $(, call $call:literal)? $(, init $init:literal)?
            $(, by $program:ident)? $(, scalar $scalar:ident)? $(, reversed $reversed:ident)? $(, fpu [$fpu_init:literal $fpu_call:literal $reuse_init:literal $reuse_call:literal])?
            $(, adjacent $adjacent:ident)? $(, kind $kind:ident of $base:ident)?;
    )*) => {
        /// An element-wise operation of two tiles.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum BinaryOp {
            $( $(#[$doc])* $op, )*
        }

        impl BinaryOp {
            pub const ALL: [BinaryOp; BINARY_COUNT] = [$( BinaryOp::$op ),*];
        }

        const BINARY_COUNT: usize = [$( stringify!($op) ),*].len();

        static BINARY: [BinaryRow; BINARY_COUNT] = [$(
            BinaryRow {
                op: BinaryOp::$op,
                method: stringify!($method),
                tile_method: stringify!($tile),
                header: concat!("api/compute/", $header),
                init: [$( $init, )? concat!(stringify!($tile), "_init" $(, $template)?)][0],
                call: [$( $call, )? concat!(stringify!($tile) $(, $template)?)][0],
                scalar: super::base!(UnaryOp $($scalar)?),
                reversed: super::base!(UnaryOp $($reversed)?),
                fpu: [$( Some(FpuRow { init: $fpu_init, call: $fpu_call, reuse_init: $reuse_init, reuse_call: $reuse_call }), )? None][0],
                adjacent: super::is_set!($($adjacent)?),
                reference: Reference::F2($reference),
                bound: $bound,
                absolute: [$( $absolute, )? 0.0][0],
                domain: [$( ($from, $to), )? (f64::NEG_INFINITY, f64::INFINITY)][0],
                kind: [$( Kind::$kind, )? Kind::Float][0],
                base: super::base!(BinaryOp $($base)?),
            },
        )*];

        /// Calls a macro with `#[doc] Variant method method_tile [program];` for each operation.
        macro_rules! for_each_binary_op {
            ($d then:ident) => {
                $d then! { $( $(#[$doc])* $op $method $tile [$($program)? $method]; )* }
            };
        }
        pub(crate) use for_each_binary_op;
    };
}

/// One row of the table of binary operations.
#[derive(Clone, Copy, Debug)]
pub struct BinaryRow {
    pub op: BinaryOp,
    /// The method of tile expressions, `a.max(b)`; the first three have operators as well.
    pub method: &'static str,
    /// The method of tile registers, `regs.add_binary_tile(0, 1, 2)`.
    pub tile_method: &'static str,
    pub header: &'static str,
    /// C++ call that prepares the SFPU. Operations may share it.
    pub init: &'static str,
    /// C++ function that takes both operands and the result.
    pub call: &'static str,
    /// What to do with a number as second operand, and with one as first.
    pub scalar: Option<UnaryOp>,
    pub reversed: Option<UnaryOp>,
    /// The matrix unit can do it too.
    pub fpu: Option<FpuRow>,
    /// The second operand is the register after the first, which becomes the result.
    pub adjacent: bool,
    /// The exact function, in f64.
    pub reference: Reference,
    /// Largest relative error against `reference` that the algorithm has for f32 registers, and an absolute one that does not count.
    pub bound: f64,
    pub absolute: f64,
    /// Operands between these are within the bound.
    pub domain: (f64, f64),
    pub kind: Kind,
    /// The float operation that this is for tiles of `kind`.
    pub base: Option<BinaryOp>,
}

/// What the matrix unit has for an operation.
#[derive(Clone, Copy, Debug)]
pub struct FpuRow {
    /// Both operands in circular buffers. `mul_tiles` adds to the register, the other two overwrite it.
    pub init: &'static str,
    pub call: &'static str,
    /// One operand in the register, the other in a circular buffer (template argument appended).
    pub reuse_init: &'static str,
    pub reuse_call: &'static str,
}

/// Header of the calls of the matrix unit.
pub const BINARY_FPU_HEADER: &str = "api/compute/eltwise_binary.h";

impl BinaryOp {
    /// Those that the matrix unit has.
    pub const FPU: [BinaryOp; 3] = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul];

    pub fn row(self) -> &'static BinaryRow {
        &BINARY[self as usize]
    }

    /// The matrix unit's calls.
    ///
    /// # Panics
    /// If it has none.
    pub fn fpu(self) -> &'static FpuRow {
        self.row().fpu.as_ref().expect("an operation of the matrix unit")
    }

    pub fn from_method(name: &str) -> Option<BinaryOp> {
        BINARY.iter().find(|r| r.method == name).map(|r| r.op)
    }

    pub fn from_tile_method(name: &str) -> Option<BinaryOp> {
        BINARY.iter().find(|r| r.tile_method == name).map(|r| r.op)
    }

    /// The first operation with the same init.
    pub fn prepared(self) -> BinaryOp {
        BINARY.iter().find(|r| r.init == self.row().init).map_or(self, |r| r.op)
    }

    /// The operation for tiles of `kind`.
    pub fn of_kind(self, kind: Kind) -> Option<BinaryOp> {
        if self.row().kind == kind {
            return Some(self);
        }
        BINARY.iter().find(|r| r.base == Some(self) && r.kind == kind).map(|r| r.op)
    }

    /// Whether the matrix unit may take the operands in either order.
    pub const fn commutes(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Mul)
    }
}

impl BinaryRow {
    /// Whether a result of 32-bit registers is as near to the exact value as the row says.
    pub fn accepts(&self, a: f64, b: f64, result: f64) -> bool {
        let inside = |x: &f64| (self.domain.0..=self.domain.1).contains(x);
        ![a, b].iter().all(inside) || super::close(self.reference.of(&[a, b]), result, self.bound, self.absolute)
    }
}

binary_ops! { ($)
    /// a + b.
    Add: add, add_binary_tile in "eltwise_binary_sfpu.h", |a, b| a + b, within 1e-7, or 1e-7,
        scalar AddUnary, reversed AddUnary, fpu ["add_init" "add_tiles" "add_reuse_dest_init" "add_reuse_dest_tiles"];
    /// a - b.
    Sub: sub, sub_binary_tile in "eltwise_binary_sfpu.h", |a, b| a - b, within 1e-7, or 1e-7,
        scalar SubUnary, reversed RsubUnary, fpu ["sub_init" "sub_tiles" "sub_reuse_dest_init" "sub_reuse_dest_tiles"];
    /// a * b.
    Mul: mul, mul_binary_tile in "eltwise_binary_sfpu.h", |a, b| a * b, within 1e-7,
        scalar MulUnary, reversed MulUnary, fpu ["mul_init" "mul_tiles" "mul_reuse_dest_init" "mul_reuse_dest_tiles"];
    /// b - a.
    Rsub: rsub, rsub_binary_tile in "eltwise_binary_sfpu.h", |a, b| b - a, within 1e-7, or 1e-7;
    /// a + b, rounded to the nearest in 16-bit registers, ties to even.
    AddEven: add_even, add_even_binary_tile in "eltwise_binary_sfpu.h", |a, b| a + b, within 1e-7, or 1e-7,
        call "add_binary_tile<DstRoundingMode::NearestEven>", init "add_binary_tile_init";
    /// a - b, rounded to the nearest in 16-bit registers, ties to even.
    SubEven: sub_even, sub_even_binary_tile in "eltwise_binary_sfpu.h", |a, b| a - b, within 1e-7, or 1e-7,
        call "sub_binary_tile<DstRoundingMode::NearestEven>", init "sub_binary_tile_init";
    /// b - a, rounded to the nearest in 16-bit registers, ties to even.
    RsubEven: rsub_even, rsub_even_binary_tile in "eltwise_binary_sfpu.h", |a, b| b - a, within 1e-7, or 1e-7,
        call "rsub_binary_tile<DstRoundingMode::NearestEven>", init "rsub_binary_tile_init";
    /// a / b.
    Div: div, div_binary_tile in "eltwise_binary_sfpu.h", |a, b| a / b, within 1e-6, scalar DivUnary, reversed Rdiv;
    /// The larger of a and b.
    Max: max, binary_max_tile in "binary_max_min.h", f64::max, within 0.0, by binary_max, scalar UnaryMax;
    /// The smaller of a and b.
    Min: min, binary_min_tile in "binary_max_min.h", f64::min, within 0.0, by binary_min, scalar UnaryMin;
    /// a to the power of b.
    Pow: pow, power_binary_tile in "eltwise_binary_sfpu.h", f64::powf, within 1e-5, by power_binary, scalar Power;
    /// 1 where a = b, else 0.
    Eq: eq, eq_binary_tile in "eltwise_binary_sfpu.h", |a, b| reference::flag(a == b), within 0.0, scalar UnaryEq;
    /// 0 where a = b, else 1.
    Ne: ne, ne_binary_tile in "eltwise_binary_sfpu.h", |a, b| reference::flag(a != b), within 0.0, scalar UnaryNe;
    /// 1 where a < b, else 0.
    Lt: lt, lt_binary_tile in "eltwise_binary_sfpu.h", |a, b| reference::flag(a < b), within 0.0, scalar UnaryLt;
    /// 1 where a > b, else 0.
    Gt: gt, gt_binary_tile in "eltwise_binary_sfpu.h", |a, b| reference::flag(a > b), within 0.0, scalar UnaryGt;
    /// 1 where a <= b, else 0.
    Le: le, le_binary_tile in "eltwise_binary_sfpu.h", |a, b| reference::flag(a <= b), within 0.0, scalar UnaryLe;
    /// 1 where a >= b, else 0.
    Ge: ge, ge_binary_tile in "eltwise_binary_sfpu.h", |a, b| reference::flag(a >= b), within 0.0, scalar UnaryGe;
    /// a where b is not 0, else 0.
    Mask: mask, mask_tile in "mask.h", |a, b| if b == 0.0 { 0.0 } else { a }, within 0.0, adjacent registers;
    /// a where b is not 0, else infinity.
    MaskPosinf: mask_posinf, mask_posinf_tile in "mask.h", |a, b| if b == 0.0 { f64::INFINITY } else { a }, within 0.0, init "mask_tile_init", adjacent registers;
    /// ln(1 / (1 + e^-a)), where b is e^-a: `x.logsigmoid_of((-x).exp())`.
    // Other operands make no sense; those are tested in `tests/ops/numbers.rs`.
    LogsigmoidOf: logsigmoid_of, logsigmoid_tile in "logsigmoid.h", |_, b| -b.ln_1p(), within 1e-2, or 1e-2, on [0.0, -1.0], by logsigmoid;
    /// The remainder of a / b, with the sign of a.
    Fmod: fmod, fmod_binary_tile in "binary_fmod.h", |a, b| a % b, within 1e-5, or 1e-4, by fmod_binary, scalar FmodScalar;
    /// The remainder of a / b, with the sign of b.
    Remainder: remainder, remainder_binary_tile in "binary_remainder.h", |a, b| a - b * (a / b).floor(), within 1e-5, or 1e-4, by remainder_binary, scalar RemainderScalar;
    /// The angle of the point (b, a).
    Atan2: atan2, atan2_binary_tile in "atan2.h", f64::atan2, within 1e-5, or 1e-5;
    /// a * ln(b), 0 where a is 0.
    Xlogy: xlogy, xlogy_binary_tile in "xlogy.h", |a, b| a * b.ln(), within 5e-3, or 1e-2;
    /// ln(e^a + e^b).
    Logaddexp: logaddexp, logaddexp_binary_tile in "logaddexp.h", |a, b| (a.exp() + b.exp()).ln(), within 1e-5, or 1e-5;
    /// log2(2^a + 2^b).
    Logaddexp2: logaddexp2, logaddexp2_binary_tile in "logaddexp2.h", |a, b| (a.exp2() + b.exp2()).log2(), within 1e-5, or 1e-5;
    /// The next f32 after a in the direction of b.
    Nextafter: nextafter, nextafter_binary_tile in "nextafter.h", |a, b| reference::next_after(a, b), within 1e-7;
    /// The next bf16 after a in the direction of b.
    NextafterBf16: nextafter_bf16, nextafter_bf16_binary_tile in "nextafter.h", |a, b| reference::next_after_bf16(a, b), within 1e-7;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index() {
        for op in BinaryOp::ALL {
            assert_eq!(op.row().op, op);
            assert_eq!(op.row().fpu.is_some(), BinaryOp::FPU.contains(&op));
        }
    }
}
