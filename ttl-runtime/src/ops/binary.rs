//! Element-wise operations of two tiles.
//!
//! ```text
//! Variant: method(parameter: type = example, ...), tile_method in "header of api/compute", exact function, within relative error, options;
//! ```
//!
//! The options, in this order: `or` an absolute error; `on` the operands for which the bound holds; C++ names where they differ from the tile method: `template`, `call`,
//! `init`; `extra`, an argument between registers and words; `by` the program; `scalar`, `reversed`: the unary operation for a number on the right, and for one on the left;
//! `fpu`: init and call of the matrix unit, for two circular buffers and for one and a register; `adjacent registers` if the second register must follow the first, which
//! then holds the result; `init words` if the words go to the init; `wide registers` if it needs 32 bits; `kind` of the operands and of which operation it is that kind's
//! form; `right`, the kind of the second operand, and `gives`, that of the result, where they differ.

use super::{Kind, Param, Reference, UnaryOp, Word, reference};

macro_rules! binary_ops {
    (($d:tt) $(
        $(#[$doc:meta])*
        $op:ident: $method:ident $(($($param:ident: $ty:ident = $example:expr),+))?, $tile:ident in $header:literal, $reference:expr, within $bound:expr
            $(, or $absolute:literal)? $(, on [$from:expr, $to:expr])? $(, template $template:literal)? $(, call $call:literal)? $(, init $init:literal)? $(, extra $extra:literal)?
            $(, by $program:ident)? $(, scalar $scalar:ident)? $(, reversed $reversed:ident)? $(, fpu [$fpu_init:literal $fpu_call:literal $reuse_init:literal $reuse_call:literal])?
            $(, adjacent $adjacent:ident)? $(, init words $init_words:literal)? $(, wide $wide:ident)?
            $(, kind $kind:ident of $base:ident)? $(, right $right:ident)? $(, gives $gives:ident)?;
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
                extra: [$( Some($extra), )? None][0],
                params: &[$($( Param::$ty(stringify!($param), $example) ),+)?],
                words: super::words!([$($($param)+)?]),
                init_words: [$( $init_words, )? 0][0],
                wide: super::is_set!($($wide)?),
                reference: binary_reference!([$($($param)+)?] $reference),
                bound: $bound,
                absolute: [$( $absolute, )? 0.0][0],
                domain: [$( ($from, $to), )? (f64::NEG_INFINITY, f64::INFINITY)][0],
                kind: [$( Kind::$kind, )? Kind::Float][0],
                base: super::base!(BinaryOp $($base)?),
                right: [$( Kind::$right, )? $( Kind::$kind, )? Kind::Float][0],
                gives: [$( Kind::$gives, )? $( Kind::$kind, )? Kind::Float][0],
            },
        )*];

        /// Calls a macro with `#[doc] Variant method method_tile (parameter: type, ...) [program];` for each operation.
        macro_rules! for_each_binary_op {
            ($d then:ident) => {
                $d then! { $( $(#[$doc])* $op $method $tile ($($($param: $ty),+)?) [$($program)? $method]; )* }
            };
        }
        pub(crate) use for_each_binary_op;
    };
}

macro_rules! binary_reference {
    ([] $f:expr) => {
        Reference::F2($f)
    };
    ([$a:ident] $f:expr) => {
        Reference::F3($f)
    };
    ([$a:ident $b:ident] $f:expr) => {
        Reference::F4($f)
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
    /// An argument of the call between the registers and the words.
    pub extra: Option<&'static str>,
    /// What the methods take after the operands.
    pub params: &'static [Param],
    /// What the C++ calls get.
    pub words: &'static [Word],
    /// The first of the words go to the init, the rest to the call.
    pub init_words: usize,
    /// It needs 32-bit registers, whatever the operands are.
    pub wide: bool,
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
    /// What the second operand holds, and the result.
    pub right: Kind,
    pub gives: Kind,
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

/// How an operation of tiles and a number is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WithNumber {
    /// By an operation of its own.
    Unary(UnaryOp),
    /// With a tile full of the number, which this operation makes.
    Tile(UnaryOp),
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

    /// The operation that its call means after the init of `prepared`: some calls do what their init has set up.
    pub fn after_init(self, prepared: BinaryOp) -> BinaryOp {
        let same = |r: &&BinaryRow| r.call == self.row().call && r.op.prepared() == prepared;
        BINARY.iter().find(same).map_or(self, |r| r.op)
    }

    /// The operation for tiles of `kind`.
    pub fn of_kind(self, kind: Kind) -> Option<BinaryOp> {
        if self.row().kind == kind {
            return Some(self);
        }
        BINARY.iter().find(|r| r.base == Some(self) && r.kind == kind).map(|r| r.op)
    }

    /// What computes this with a number of `kind` as second operand, or as first if `reversed`.
    pub fn with_number(self, kind: Kind, reversed: bool) -> WithNumber {
        let row = self.of_kind(kind).unwrap_or(self).row();
        let unary = if reversed { row.reversed } else { row.scalar };
        match unary.filter(|op| op.row().kind == kind && row.params.is_empty()) {
            Some(op) => WithNumber::Unary(op),
            None => WithNumber::Tile(UnaryOp::fill(kind)),
        }
    }

    /// Whether the matrix unit may take the operands in either order.
    pub const fn commutes(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Mul)
    }
}

impl BinaryRow {
    /// Whether it works on 32-bit registers only.
    pub fn needs_32_bits(&self) -> bool {
        self.wide || [self.kind, self.gives].iter().any(|kind| kind.is_32_bits())
    }

    /// Whether a result of 32-bit registers is as near to the exact value as the row says.
    pub fn accepts(&self, a: f64, b: f64, result: f64) -> bool {
        let inside = |x: &f64| (self.domain.0..=self.domain.1).contains(x);
        ![a, b].iter().all(inside) || super::close(self.exact(a, b), result, self.bound, self.absolute)
    }

    /// The exact value for the example parameters.
    pub fn exact(&self, a: f64, b: f64) -> f64 {
        let examples: Vec<f64> = self.params.iter().map(|p| p.example()).collect();
        self.reference.of(&[&[a, b], &examples[..]].concat())
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
    // The logarithm is a cubic within 4.5e-4, of which a is a multiple: |a| is at most 8 here.
    Xlogy: xlogy, xlogy_binary_tile in "xlogy.h", |a, b| a * b.ln(), within 0.0, or 3.7e-3, on [-8.0, 8.0];
    /// ln(e^a + e^b).
    Logaddexp: logaddexp, logaddexp_binary_tile in "logaddexp.h", |a, b| (a.exp() + b.exp()).ln(), within 1e-5, or 1e-5;
    /// log2(2^a + 2^b).
    Logaddexp2: logaddexp2, logaddexp2_binary_tile in "logaddexp2.h", |a, b| (a.exp2() + b.exp2()).log2(), within 1e-5, or 1e-5;
    /// The next f32 after a in the direction of b.
    // It steps in units of the last place of f32; TT-Metalium refuses it elsewhere.
    Nextafter: nextafter, nextafter_binary_tile in "nextafter.h", reference::next_after, within 1e-7, wide registers;
    /// The next bf16 after a in the direction of b.
    NextafterBf16: nextafter_bf16, nextafter_bf16_binary_tile in "nextafter.h", reference::next_after_bf16, within 1e-7;
    /// a + b of i32, modulo 2^32.
    AddInt32: add_int32, add_int_tile_int32 in "add_int_sfpu.h", |a, b| f64::from((a as i32).wrapping_add(b as i32)), within 0.0, call "add_int_tile<DataFormat::Int32>", init "add_int_tile_init", by add_int, scalar AddUnaryInt32, reversed AddUnaryInt32, kind I32 of Add;
    /// a + b of u32, modulo 2^32.
    AddUint32: add_uint32, add_int_tile_uint32 in "add_int_sfpu.h", |a, b| f64::from((a as u32).wrapping_add(b as u32)), within 0.0, call "add_int_tile<DataFormat::UInt32>", init "add_int_tile_init", by add_int, kind U32 of Add;
    /// a - b of i32, modulo 2^32.
    SubInt32: sub_int32, sub_int_tile_int32 in "sub_int_sfpu.h", |a, b| f64::from((a as i32).wrapping_sub(b as i32)), within 0.0, call "sub_int_tile<DataFormat::Int32>", init "sub_int_tile_init", by sub_int, scalar SubUnaryInt32, reversed RsubUnaryInt32, kind I32 of Sub;
    /// a - b of u32, modulo 2^32.
    SubUint32: sub_uint32, sub_int_tile_uint32 in "sub_int_sfpu.h", |a, b| f64::from((a as u32).wrapping_sub(b as u32)), within 0.0, call "sub_int_tile<DataFormat::UInt32>", init "sub_int_tile_init", by sub_int, kind U32 of Sub;
    /// b - a of i32, modulo 2^32.
    RsubInt32: rsub_int32, rsub_int_tile_int32 in "sub_int_sfpu.h", |a, b| f64::from((b as i32).wrapping_sub(a as i32)), within 0.0, call "rsub_int_tile<DataFormat::Int32>", init "rsub_int_tile_init", by rsub_int, kind I32 of Rsub;
    /// b - a of u32, modulo 2^32.
    RsubUint32: rsub_uint32, rsub_int_tile_uint32 in "sub_int_sfpu.h", |a, b| f64::from((b as u32).wrapping_sub(a as u32)), within 0.0, call "rsub_int_tile<DataFormat::UInt32>", init "rsub_int_tile_init", by rsub_int, kind U32 of Rsub;
    /// a * b of i32, modulo 2^32.
    MulInt32: mul_int32, mul_int_tile_int32 in "mul_int_sfpu.h", |a, b| f64::from((a as i32).wrapping_mul(b as i32)), within 0.0, call "mul_int_tile<DataFormat::Int32>", init "mul_int_tile_init<DataFormat::Int32>", by mul_int, kind I32 of Mul;
    /// a * b of u32, modulo 2^32.
    MulUint32: mul_uint32, mul_int_tile_uint32 in "mul_int_sfpu.h", |a, b| f64::from((a as u32).wrapping_mul(b as u32)), within 0.0, call "mul_int_tile<DataFormat::UInt32>", init "mul_int_tile_init<DataFormat::UInt32>", by mul_int, kind U32 of Mul;
    /// a / b of i32, rounded towards zero; 0 for a division by zero.
    DivInt32: div_int32_trunc, div_int32_trunc_tile in "div_int32_floor.h", |a, b| if b == 0.0 { 0.0 } else { (a / b).trunc() }, within 0.0, kind I32 of Div;
    /// a / b of i32, rounded down; 0 for a division by zero.
    DivInt32Floor: div_int32_floor, div_int32_floor_tile in "div_int32_floor.h", |a, b| if b == 0.0 { 0.0 } else { (a / b).floor() }, within 0.0, kind I32 of DivInt32Floor;
    /// The remainder of a / b of i32, with the sign of b.
    RemainderInt32: remainder_int32, remainder_int32_tile in "binary_remainder.h", |a, b| if b == 0.0 { 0.0 } else { a - b * (a / b).floor() }, within 0.0, kind I32 of Remainder;
    /// The remainder of a / b of u32.
    RemainderUint32: remainder_uint32, remainder_uint32_tile in "binary_remainder.h", |a, b| if b == 0.0 { 0.0 } else { a % b }, within 0.0, kind U32 of Remainder;
    /// The remainder of a / b of i32, with the sign of a.
    FmodInt32: fmod_int32, fmod_int32_tile in "binary_fmod.h", |a, b| if b == 0.0 { 0.0 } else { a % b }, within 0.0, kind I32 of Fmod;
    /// The larger of a and b, of i32.
    MaxInt32: max_int32, binary_max_int32_tile in "binary_max_min.h", f64::max, within 0.0, by binary_max_int32, scalar UnaryMaxInt32, kind I32 of Max;
    /// The larger of a and b, of u32.
    MaxUint32: max_uint32, binary_max_uint32_tile in "binary_max_min.h", f64::max, within 0.0, by binary_max_uint32, scalar UnaryMaxUint32, kind U32 of Max;
    /// The smaller of a and b, of i32.
    MinInt32: min_int32, binary_min_int32_tile in "binary_max_min.h", f64::min, within 0.0, by binary_min_int32, scalar UnaryMinInt32, kind I32 of Min;
    /// The smaller of a and b, of u32.
    MinUint32: min_uint32, binary_min_uint32_tile in "binary_max_min.h", f64::min, within 0.0, by binary_min_uint32, scalar UnaryMinUint32, kind U32 of Min;
    /// 1 where a = b, else 0, of i32.
    EqInt32: eq_int32, eq_int_tile_int32 in "binary_comp.h", |a, b| reference::flag(a == b), within 0.0, call "eq_int_tile<DataFormat::Int32>", init "eq_int_tile_init<DataFormat::Int32>", by eq_int, scalar UnaryEqInt32, kind I32 of Eq;
    /// 1 where a = b, else 0, of u32.
    EqUint32: eq_uint32, eq_int_tile_uint32 in "binary_comp.h", |a, b| reference::flag(a == b), within 0.0, call "eq_int_tile<DataFormat::UInt32>", init "eq_int_tile_init<DataFormat::UInt32>", by eq_uint, kind U32 of Eq;
    /// 1 where a != b, else 0, of i32.
    NeInt32: ne_int32, ne_int_tile_int32 in "binary_comp.h", |a, b| reference::flag(a != b), within 0.0, call "ne_int_tile<DataFormat::Int32>", init "ne_int_tile_init<DataFormat::Int32>", by ne_int, scalar UnaryNeInt32, kind I32 of Ne;
    /// 1 where a != b, else 0, of u32.
    NeUint32: ne_uint32, ne_int_tile_uint32 in "binary_comp.h", |a, b| reference::flag(a != b), within 0.0, call "ne_int_tile<DataFormat::UInt32>", init "ne_int_tile_init<DataFormat::UInt32>", by ne_uint, kind U32 of Ne;
    /// 1 where a < b, else 0, of i32.
    LtInt32: lt_int32, lt_int_tile_int32 in "binary_comp.h", |a, b| reference::flag(a < b), within 0.0, call "lt_int_tile<DataFormat::Int32>", init "lt_int_tile_init<DataFormat::Int32>", by lt_int, scalar UnaryLtInt32, kind I32 of Lt;
    /// 1 where a < b, else 0, of u32.
    LtUint32: lt_uint32, lt_int_tile_uint32 in "binary_comp.h", |a, b| reference::flag(a < b), within 0.0, call "lt_int_tile<DataFormat::UInt32>", init "lt_int_tile_init<DataFormat::UInt32>", by lt_uint, kind U32 of Lt;
    /// 1 where a > b, else 0, of i32.
    GtInt32: gt_int32, gt_int_tile_int32 in "binary_comp.h", |a, b| reference::flag(a > b), within 0.0, call "gt_int_tile<DataFormat::Int32>", init "gt_int_tile_init<DataFormat::Int32>", by gt_int, scalar UnaryGtInt32, kind I32 of Gt;
    /// 1 where a > b, else 0, of u32.
    GtUint32: gt_uint32, gt_int_tile_uint32 in "binary_comp.h", |a, b| reference::flag(a > b), within 0.0, call "gt_int_tile<DataFormat::UInt32>", init "gt_int_tile_init<DataFormat::UInt32>", by gt_uint, kind U32 of Gt;
    /// 1 where a <= b, else 0, of i32.
    LeInt32: le_int32, le_int_tile_int32 in "binary_comp.h", |a, b| reference::flag(a <= b), within 0.0, call "le_int_tile<DataFormat::Int32>", init "le_int_tile_init<DataFormat::Int32>", by le_int, scalar UnaryLeInt32, kind I32 of Le;
    /// 1 where a <= b, else 0, of u32.
    LeUint32: le_uint32, le_int_tile_uint32 in "binary_comp.h", |a, b| reference::flag(a <= b), within 0.0, call "le_int_tile<DataFormat::UInt32>", init "le_int_tile_init<DataFormat::UInt32>", by le_uint, kind U32 of Le;
    /// 1 where a >= b, else 0, of i32.
    GeInt32: ge_int32, ge_int_tile_int32 in "binary_comp.h", |a, b| reference::flag(a >= b), within 0.0, call "ge_int_tile<DataFormat::Int32>", init "ge_int_tile_init<DataFormat::Int32>", by ge_int, scalar UnaryGeInt32, kind I32 of Ge;
    /// 1 where a >= b, else 0, of u32.
    GeUint32: ge_uint32, ge_int_tile_uint32 in "binary_comp.h", |a, b| reference::flag(a >= b), within 0.0, call "ge_int_tile<DataFormat::UInt32>", init "ge_int_tile_init<DataFormat::UInt32>", by ge_uint, kind U32 of Ge;
    /// a & b of i32.
    BitwiseAnd: bitwise_and, bitwise_and_binary_tile in "binary_bitwise_sfpu.h", |a, b| f64::from(a as i32 & b as i32), within 0.0, call "bitwise_and_binary_tile<DataFormat::Int32>", init "binary_bitwise_tile_init", by bitwise_and_binary, scalar BitwiseAndNumberInt32, kind I32 of BitwiseAnd;
    /// a & b of u32.
    BitwiseAndUint32: bitwise_and_uint32, bitwise_and_binary_tile_uint32 in "binary_bitwise_sfpu.h", |a, b| f64::from(a as u32 & b as u32), within 0.0, call "bitwise_and_binary_tile<DataFormat::UInt32>", init "binary_bitwise_tile_init", by bitwise_and_binary, scalar BitwiseAndNumberUint32, kind U32 of BitwiseAnd;
    /// a | b of i32.
    BitwiseOr: bitwise_or, bitwise_or_binary_tile in "binary_bitwise_sfpu.h", |a, b| f64::from(a as i32 | b as i32), within 0.0, call "bitwise_or_binary_tile<DataFormat::Int32>", init "binary_bitwise_tile_init", by bitwise_or_binary, scalar BitwiseOrNumberInt32, kind I32 of BitwiseOr;
    /// a | b of u32.
    BitwiseOrUint32: bitwise_or_uint32, bitwise_or_binary_tile_uint32 in "binary_bitwise_sfpu.h", |a, b| f64::from(a as u32 | b as u32), within 0.0, call "bitwise_or_binary_tile<DataFormat::UInt32>", init "binary_bitwise_tile_init", by bitwise_or_binary, scalar BitwiseOrNumberUint32, kind U32 of BitwiseOr;
    /// a ^ b of i32.
    BitwiseXor: bitwise_xor, bitwise_xor_binary_tile in "binary_bitwise_sfpu.h", |a, b| f64::from(a as i32 ^ b as i32), within 0.0, call "bitwise_xor_binary_tile<DataFormat::Int32>", init "binary_bitwise_tile_init", by bitwise_xor_binary, scalar BitwiseXorNumberInt32, kind I32 of BitwiseXor;
    /// a ^ b of u32.
    BitwiseXorUint32: bitwise_xor_uint32, bitwise_xor_binary_tile_uint32 in "binary_bitwise_sfpu.h", |a, b| f64::from(a as u32 ^ b as u32), within 0.0, call "bitwise_xor_binary_tile<DataFormat::UInt32>", init "binary_bitwise_tile_init", by bitwise_xor_binary, scalar BitwiseXorNumberUint32, kind U32 of BitwiseXor;
    /// a << b of i32; 0 for counts outside of 0..32.
    LeftShift: left_shift, binary_left_shift_tile in "binary_shift.h", |a, b| if (0.0..32.0).contains(&b) { f64::from((a as i32) << b as u32) } else { 0.0 }, within 0.0, call "binary_left_shift_tile<DataFormat::Int32>", init "binary_shift_tile_init", by left_shift_binary, scalar LeftShiftNumberInt32, kind I32 of LeftShift;
    /// a << b of u32; 0 for counts outside of 0..32.
    LeftShiftUint32: left_shift_uint32, binary_left_shift_tile_uint32 in "binary_shift.h", |a, b| if (0.0..32.0).contains(&b) { f64::from((a as u32) << b as u32) } else { 0.0 }, within 0.0, call "binary_left_shift_tile<DataFormat::UInt32>", init "binary_shift_tile_init", by left_shift_binary, scalar LeftShiftNumberUint32, kind U32 of LeftShift;
    /// a >> b of i32 with copies of the sign; 0 for counts outside of 0..32.
    RightShift: right_shift, binary_right_shift_tile in "binary_shift.h", |a, b| if (0.0..32.0).contains(&b) { f64::from((a as i32) >> b as u32) } else { 0.0 }, within 0.0, call "binary_right_shift_tile<DataFormat::Int32>", init "binary_shift_tile_init", by right_shift_binary, scalar RightShiftNumberInt32, kind I32 of RightShift;
    /// a >> b of u32; 0 for counts outside of 0..32.
    RightShiftUint32: right_shift_uint32, binary_right_shift_tile_uint32 in "binary_shift.h", |a, b| if (0.0..32.0).contains(&b) { f64::from((a as u32) >> b as u32) } else { 0.0 }, within 0.0, call "binary_logical_right_shift_tile<DataFormat::UInt32>", init "binary_shift_tile_init", by logical_right_shift_binary, scalar RightShiftNumberUint32, kind U32 of RightShift;
    /// The greatest common divisor, of i32.
    Gcd: gcd, gcd_tile in "gcd.h", reference::gcd, within 0.0, kind I32 of Gcd;
    /// a + b of u16, modulo 2^16.
    AddUint16: add_uint16, add_int_tile_uint16 in "add_int_sfpu.h", |a, b| f64::from((a as u16).wrapping_add(b as u16)), within 0.0, call "add_int_tile<DataFormat::UInt16>", init "add_int_tile_init", by add_u16, kind U16 of Add;
    /// a - b of u16, modulo 2^16.
    SubUint16: sub_uint16, sub_int_tile_uint16 in "sub_int_sfpu.h", |a, b| f64::from((a as u16).wrapping_sub(b as u16)), within 0.0, call "sub_int_tile<DataFormat::UInt16>", init "sub_int_tile_init", by sub_u16, kind U16 of Sub;
    /// b - a of u16, modulo 2^16.
    RsubUint16: rsub_uint16, rsub_int_tile_uint16 in "sub_int_sfpu.h", |a, b| f64::from((b as u16).wrapping_sub(a as u16)), within 0.0, call "rsub_int_tile<DataFormat::UInt16>", init "rsub_int_tile_init", by rsub_u16, kind U16 of Rsub;
    /// a * b of u16, modulo 2^16.
    MulUint16: mul_uint16, mul_int_tile_uint16 in "mul_int_sfpu.h", |a, b| f64::from((a as u16).wrapping_mul(b as u16)), within 0.0, call "mul_int_tile<DataFormat::UInt16>", init "mul_int_tile_init<DataFormat::UInt16>", by mul_u16, kind U16 of Mul;
    /// 1 where a = b, else 0, of u16.
    EqUint16: eq_uint16, eq_int_tile_uint16 in "binary_comp.h", |a, b| reference::flag(a == b), within 0.0, call "eq_int_tile<DataFormat::UInt16>", init "eq_int_tile_init<DataFormat::UInt16>", by eq_u16, kind U16 of Eq;
    /// 1 where a != b, else 0, of u16.
    NeUint16: ne_uint16, ne_int_tile_uint16 in "binary_comp.h", |a, b| reference::flag(a != b), within 0.0, call "ne_int_tile<DataFormat::UInt16>", init "ne_int_tile_init<DataFormat::UInt16>", by ne_u16, kind U16 of Ne;
    /// 1 where a < b, else 0, of u16.
    LtUint16: lt_uint16, lt_int_tile_uint16 in "binary_comp.h", |a, b| reference::flag(a < b), within 0.0, call "lt_int_tile<DataFormat::UInt16>", init "lt_int_tile_init<DataFormat::UInt16>", by lt_u16, kind U16 of Lt;
    /// 1 where a > b, else 0, of u16.
    GtUint16: gt_uint16, gt_int_tile_uint16 in "binary_comp.h", |a, b| reference::flag(a > b), within 0.0, call "gt_int_tile<DataFormat::UInt16>", init "gt_int_tile_init<DataFormat::UInt16>", by gt_u16, kind U16 of Gt;
    /// 1 where a <= b, else 0, of u16.
    LeUint16: le_uint16, le_int_tile_uint16 in "binary_comp.h", |a, b| reference::flag(a <= b), within 0.0, call "le_int_tile<DataFormat::UInt16>", init "le_int_tile_init<DataFormat::UInt16>", by le_u16, kind U16 of Le;
    /// 1 where a >= b, else 0, of u16.
    GeUint16: ge_uint16, ge_int_tile_uint16 in "binary_comp.h", |a, b| reference::flag(a >= b), within 0.0, call "ge_int_tile<DataFormat::UInt16>", init "ge_int_tile_init<DataFormat::UInt16>", by ge_u16, kind U16 of Ge;
    /// a & b of u16.
    BitwiseAndUint16: bitwise_and_uint16, bitwise_and_binary_tile_uint16 in "binary_bitwise_sfpu.h", |a, b| f64::from(a as u16 & b as u16), within 0.0, call "bitwise_and_binary_tile<DataFormat::UInt16>", init "binary_bitwise_tile_init", by bitwise_and_binary_u16, kind U16 of BitwiseAnd;
    /// a | b of u16.
    BitwiseOrUint16: bitwise_or_uint16, bitwise_or_binary_tile_uint16 in "binary_bitwise_sfpu.h", |a, b| f64::from(a as u16 | b as u16), within 0.0, call "bitwise_or_binary_tile<DataFormat::UInt16>", init "binary_bitwise_tile_init", by bitwise_or_binary_u16, kind U16 of BitwiseOr;
    /// a ^ b of u16.
    BitwiseXorUint16: bitwise_xor_uint16, bitwise_xor_binary_tile_uint16 in "binary_bitwise_sfpu.h", |a, b| f64::from(a as u16 ^ b as u16), within 0.0, call "bitwise_xor_binary_tile<DataFormat::UInt16>", init "binary_bitwise_tile_init", by bitwise_xor_binary_u16, kind U16 of BitwiseXor;
    /// The least common multiple of i32 below 2^15 in size.
    Lcm: lcm, lcm_tile in "lcm.h", reference::lcm, within 0.0, on [-32767.0, 32767.0], kind I32 of Lcm;
    /// a >> b of i32 with zeros; 0 for counts outside of 0..32.
    LogicalRightShift: logical_right_shift, binary_logical_right_shift_tile in "binary_shift.h", |a, b| if (0.0..32.0).contains(&b) { f64::from((a as i32 as u32 >> b as u32) as i32) } else { 0.0 }, within 0.0, call "binary_logical_right_shift_tile<DataFormat::Int32>", init "binary_shift_tile_init", by logical_right_shift_binary, kind I32 of LogicalRightShift;
    /// a / b of i32 as a float; infinity or NaN for a division by zero.
    DivInt32Float: div_int32, div_int32_tile in "div_int32_sfpu.h", |a, b| a / b, within 1e-6, kind I32 of DivInt32Float, gives Float;
    /// a where b is not 0, else 0, of i32.
    MaskInt32: mask_int32, mask_tile_int32 in "mask.h", |a, b| if b == 0.0 { 0.0 } else { a }, within 0.0, call "mask_tile", init "mask_tile_init", extra "DataFormat::Int32", by mask_int, adjacent registers, kind I32 of Mask;
    /// 1 where |a - b| <= rtol * |b| + atol, else 0. An infinity is close to itself, NaN to nothing.
    Isclose: isclose(rtol: f32 = 0.125, atol: f32 = 0.25), isclose_binary_tile in "isclose.h", reference::isclose, within 0.0;
    /// The same, but NaN is close to NaN.
    IscloseNan: isclose_nan(rtol: f32 = 0.125, atol: f32 = 0.25), isclose_nan_binary_tile in "isclose.h", reference::isclose, within 0.0,
        call "isclose_binary_tile<true>", init "isclose_binary_tile_init";
    // Other second operands make no sense; those are tested in `tests/ops/numbers.rs`.
    /// Logarithm of the gamma function for f32 by Stirling's series: of a, where b is ln(a), or ln(1 - a) for a below 1/2. Below 1/2 it is that of 1 - a.
    LgammaStirlingOf: lgamma_stirling_of, lgamma_stirling_float_tile in "eltwise_unary/lgamma.h", |a, _| reference::lgamma(if a < 0.5 { 1.0 - a } else { a }), within 1e-4, or 1e-4, on [0.0, -1.0], by lgamma_stirling_float;
    /// a * scale + zero_point, rounded to the nearest i32 of -127 to 127; b is the scale.
    Quant: quant(zero_point: f32 = 3.0), quant_tile in "quantization.h", |a, b, zero| (a * b + zero).round().clamp(-127.0, 127.0), within 0.0,
        init words 1, wide registers, kind Float of Quant, gives I32;
    /// a * scale + zero_point, its size rounded to the nearest of 0 to 255; b is the scale.
    QuantUint8: quant_uint8(zero_point: f32 = 3.0), quant_uint8_tile in "quantization.h", |a, b, zero| (a * b + zero).abs().round().min(255.0), within 0.0,
        call "quant_tile", init words 1, wide registers, kind Float of QuantUint8, gives I32;
    /// a * scale + zero_point, rounded to the nearest of -128 to 127, as the byte that stands for it; b is the scale.
    QuantInt8: quant_int8(zero_point: f32 = 3.0), quant_int8_tile in "quantization.h", |a, b, zero| reference::byte(a * b + zero), within 0.0,
        init words 1, wide registers, kind Float of QuantInt8, gives I32;
    /// a * scale + zero_point of i32, rounded to the nearest i32 of -127 to 127; b is the scale.
    Requant: requant(zero_point: f32 = 3.0), requant_tile in "quantization.h", |a, b, zero| (a * b + zero).round().clamp(-127.0, 127.0), within 0.0,
        init words 1, kind I32 of Requant, right Float;
    /// a * scale + zero_point of i32, its size rounded to the nearest of 0 to 255; b is the scale.
    RequantUint8: requant_uint8(zero_point: f32 = 3.0), requant_uint8_tile in "quantization.h", |a, b, zero| (a * b + zero).abs().round().min(255.0), within 0.0,
        call "requant_tile", init words 1, kind I32 of RequantUint8, right Float;
    /// a * scale + zero_point of i32, rounded to the nearest of -128 to 127, as the byte that stands for it; b is the scale.
    RequantInt8: requant_int8(zero_point: f32 = 3.0), requant_int8_tile in "quantization.h", |a, b, zero| reference::byte(a * b + zero), within 0.0,
        init words 1, kind I32 of RequantInt8, right Float;
    /// (a + 128) * scale + zero_point of the bytes of int8, rounded to the nearest i32 of -127 to 127; b is the scale.
    RequantInt8In: requant_int8_in(zero_point: f32 = 3.0), requant_int8_in_tile in "quantization.h", |a, b, zero| (reference::of_byte(a) * b + zero).round().clamp(-127.0, 127.0), within 0.0,
        on [0.0, 255.0], init words 1, kind I32 of RequantInt8In, right Float;
    /// (a + 128) * scale + zero_point of the bytes of int8, its size rounded to the nearest of 0 to 255; b is the scale.
    RequantInt8InUint8Out: requant_int8_in_uint8_out(zero_point: f32 = 3.0), requant_int8_in_uint8_out_tile in "quantization.h", |a, b, zero| (reference::of_byte(a) * b + zero).abs().round().min(255.0), within 0.0,
        on [0.0, 255.0], call "requant_int8_in_tile", init words 1, kind I32 of RequantInt8InUint8Out, right Float;
    /// (a + 128) * scale + zero_point of the bytes of int8, rounded to the nearest of -128 to 127, as the byte that stands for it; b is the scale.
    RequantInt8InInt8Out: requant_int8_in_int8_out(zero_point: f32 = 3.0), requant_int8_in_int8_out_tile in "quantization.h", |a, b, zero| reference::byte(reference::of_byte(a) * b + zero), within 0.0,
        on [0.0, 255.0], init words 1, kind I32 of RequantInt8InInt8Out, right Float;
    /// (a + offset) * scale of i32, as a float; b is the scale, the offset is minus the zero point.
    Dequant: dequant(offset: f32 = -3.0), dequant_tile in "quantization.h", |a, b, offset| (a + offset) * b, within 1e-7, init words 1, kind I32 of Dequant, right Float, gives Float;
    /// (a + 128 + offset) * scale of the bytes of int8, as a float; b is the scale, the offset is minus the zero point, minus 128.
    DequantInt8: dequant_int8(offset: f32 = -131.0), dequant_int8_tile in "quantization.h", |a, b, offset| (reference::of_byte(a) + offset) * b, within 1e-7,
        on [0.0, 255.0], init words 1, kind I32 of DequantInt8, right Float, gives Float;
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
