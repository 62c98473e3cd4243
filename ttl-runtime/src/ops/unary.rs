//! Operations of the vector unit on one tile in the tile registers, in place.
//!
//! To add one: a row here, its names in `methods/ops.rs` of the skeleton crate, and its steps as a function in `sim::math::vector::programs` (named like the
//! method unless the row says `by`). The rest (methods of tile expressions and of tile registers, C++ headers of the simulator, tests) comes from the row.
//!
//! ```text
//! /// Documentation of the method.
//! Variant: method(parameter: type = example, ...), tile_method in "header of api/compute", exact function, within relative error, options;
//! ```
//!
//! A parameter's example is what the tests use. The options, in this order: `or` an absolute error; `on` the inputs for which the bound holds; the C++ names where they
//! differ from the tile method: `template`, `call`, `init`; `extra`, an argument between register and words; `words`: the words of the C++ call, made from the parameters (default: each as it is); `by` the
//! program; `creates tile` if the register is not read; `init words` if the words go to the init; `kind` of the values and of which float operation it is that kind's form.

use super::{Kind, Param, Reference, Word, name_of_type, reference};

macro_rules! unary_ops {
    // The first argument is a dollar sign, for the macro that this one defines.
    (($d:tt) $(
        $(#[$doc:meta])*
        $op:ident: $method:ident $(($($param:ident: $ty:ident = $example:expr),+))?, $tile:ident in $header:literal, $reference:expr, within $bound:expr
            $(, or $absolute:literal)? $(, on [$from:expr, $to:expr])? $(, template $template:literal)? $(, call $call:literal)? $(, init $init:literal)? $(, extra $extra:literal)?
            $(, words [$($word:expr),*])? $(, by $program:ident)? $(, creates $creates:ident)? $(, init words $init_words:literal)?
            $(, kind $kind:ident of $base:ident)?;
    )*) => {
        /// An SFPU operation on one tile in the tile registers, in place.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum UnaryOp {
            $( $(#[$doc])* $op, )*
        }

        impl UnaryOp {
            pub const ALL: [UnaryOp; UNARY_COUNT] = [$( UnaryOp::$op ),*];
        }

        const UNARY_COUNT: usize = [$( stringify!($op) ),*].len();

        static UNARY: [UnaryRow; UNARY_COUNT] = [$(
            UnaryRow {
                op: UnaryOp::$op,
                method: stringify!($method),
                tile_method: stringify!($tile),
                header: concat!("api/compute/", $header),
                // The first of the two.
                init: [$( $init, )? concat!(stringify!($tile), "_init" $(, $template)?)][0],
                call: [$( $call, )? concat!(stringify!($tile) $(, $template)?)][0],
                extra: [$( Some($extra), )? None][0],
                params: &[$($( Param::$ty(stringify!($param), $example) ),+)?],
                words: super::words!([$($($param)+)?] $($($word),*)?),
                init_words: [$( $init_words, )? 0][0],
                creates: super::is_set!($($creates)?),
                reference: super::exact!([$($($param)+)?] $reference),
                bound: $bound,
                absolute: [$( $absolute, )? 0.0][0],
                domain: [$( ($from, $to), )? (f64::NEG_INFINITY, f64::INFINITY)][0],
                kind: [$( Kind::$kind, )? Kind::Float][0],
                base: super::base!(UnaryOp $($base)?),
            },
        )*];

        /// Calls a macro with `#[doc] Variant method method_tile (parameter: type, ...) [program method] [creates];` for each operation.
        macro_rules! for_each_unary_op {
            ($d then:ident) => {
                $d then! { $( $(#[$doc])* $op $method $tile ($($($param: $ty),+)?) [$($program)? $method] [$($creates)?]; )* }
            };
        }
        pub(crate) use for_each_unary_op;
    };
}

/// One row of the table of unary operations.
#[derive(Clone, Copy, Debug)]
pub struct UnaryRow {
    pub op: UnaryOp,
    /// The method of tile expressions, `x.exp()`.
    pub method: &'static str,
    /// The method of tile registers, `regs.exp_tile(0)`.
    pub tile_method: &'static str,
    pub header: &'static str,
    /// C++ call that prepares the SFPU. Operations may share it.
    pub init: &'static str,
    /// C++ function that takes the register index, then the words.
    pub call: &'static str,
    /// An argument of the call between the register and the words.
    pub extra: Option<&'static str>,
    /// What the methods take.
    pub params: &'static [Param],
    /// What the C++ call gets.
    pub words: &'static [Word],
    /// The first of the words go to the init, the rest to the call.
    pub init_words: usize,
    /// The register need not hold anything before.
    pub creates: bool,
    /// The exact function, in f64.
    pub reference: Reference,
    /// Largest relative error against `reference` that the hardware algorithm has for f32 registers, beyond format rounding.
    pub bound: f64,
    /// An error as small as this does not count: near zeros of the function the relative error has no bound.
    pub absolute: f64,
    /// Inputs between these are within the bound.
    pub domain: (f64, f64),
    pub kind: Kind,
    /// The float operation that this is for tiles of `kind`.
    pub base: Option<UnaryOp>,
}

impl UnaryOp {
    pub fn row(self) -> &'static UnaryRow {
        &UNARY[self as usize]
    }

    pub fn from_method(name: &str) -> Option<UnaryOp> {
        UNARY.iter().find(|r| r.method == name).map(|r| r.op)
    }

    pub fn from_tile_method(name: &str) -> Option<UnaryOp> {
        UNARY.iter().find(|r| r.tile_method == name).map(|r| r.op)
    }

    /// The first operation with the same init: what the vector unit is prepared for.
    pub fn prepared(self) -> UnaryOp {
        UNARY.iter().find(|r| r.init == self.row().init).map_or(self, |r| r.op)
    }

    /// The operation for tiles of `kind`.
    pub fn of_kind(self, kind: Kind) -> Option<UnaryOp> {
        if self.row().kind == kind {
            return Some(self);
        }
        UNARY.iter().find(|r| r.base == Some(self) && r.kind == kind).map(|r| r.op)
    }
}

impl UnaryRow {
    /// Whether a result of 32-bit registers is as near to the exact value as the row says, for the example parameters.
    pub fn accepts(&self, x: f64, result: f64) -> bool {
        !(self.domain.0..=self.domain.1).contains(&x) || super::close(self.exact(x), result, self.bound, self.absolute)
    }

    /// The exact value for the example parameters.
    pub fn exact(&self, x: f64) -> f64 {
        let examples: Vec<f64> = self.params.iter().map(|p| p.example()).collect();
        self.reference.of(&[&[x], &examples[..]].concat())
    }

    /// The parameters as Rust writes them, for messages.
    pub fn signature(&self) -> String {
        let list: Vec<String> = self.params.iter().map(|p| format!("{}: {}", p.name(), name_of_type(*p))).collect();
        format!("{}({})", self.method, list.join(", "))
    }
}

unary_ops! { ($)
    /// e^x.
    Exp: exp, exp_tile in "eltwise_unary/exp.h", f64::exp, within 1e-6;
    /// max(x, 0).
    Relu: relu, relu_tile in "eltwise_unary/relu.h", |x| x.max(0.0), within 0.0;
    /// x * Phi(x), the accurate form.
    // The default of the calls is a coarse table.
    Gelu: gelu, gelu_tile in "eltwise_unary/gelu.h", reference::gelu, within 1e-5, or 1e-6, template "<false>";
    /// Square root.
    Sqrt: sqrt, sqrt_tile in "eltwise_unary/sqrt.h", f64::sqrt, within 1e-6;
    /// 1 / x.
    Recip: recip, recip_tile in "eltwise_unary/recip.h", |x| 1.0 / x, within 1e-6;
    /// |x|.
    Abs: abs, abs_tile in "compute_kernel_api.h", f64::abs, within 0.0;
    /// -x.
    Negative: negative, negative_tile in "eltwise_unary/negative.h", |x| -x, within 0.0;
    /// x * x.
    Square: square, square_tile in "compute_kernel_api.h", |x| x * x, within 0.0;
    /// -1, 0 or 1: the sign of x.
    Sign: sign, sign_tile in "compute_kernel_api.h", reference::sign, within 0.0;
    /// x.
    Identity: identity, identity_tile in "eltwise_unary/identity.h", |x| x, within 0.0;
    /// 1 where x = 0, else 0.
    Eqz: eqz, eqz_tile in "eltwise_unary/comp.h", |x| reference::flag(x == 0.0), within 0.0;
    /// 0 where x = 0, else 1.
    Nez: nez, nez_tile in "eltwise_unary/comp.h", |x| reference::flag(x != 0.0), within 0.0;
    /// 1 where x > 0, else 0.
    Gtz: gtz, gtz_tile in "eltwise_unary/comp.h", |x| reference::flag(x > 0.0), within 0.0;
    /// 1 where x < 0, else 0.
    Ltz: ltz, ltz_tile in "eltwise_unary/comp.h", |x| reference::flag(x < 0.0), within 0.0;
    /// 1 where x >= 0, else 0.
    Gez: gez, gez_tile in "eltwise_unary/comp.h", |x| reference::flag(x >= 0.0), within 0.0;
    /// 1 where x <= 0, else 0.
    Lez: lez, lez_tile in "eltwise_unary/comp.h", |x| reference::flag(x <= 0.0), within 0.0;
    /// The next integer below.
    Floor: floor, floor_tile in "eltwise_unary/rounding.h", f64::floor, within 0.0, init "rounding_op_tile_init";
    /// The next integer above.
    Ceil: ceil, ceil_tile in "eltwise_unary/rounding.h", f64::ceil, within 0.0, init "rounding_op_tile_init";
    /// The next integer towards zero.
    Trunc: trunc, trunc_tile in "eltwise_unary/rounding.h", f64::trunc, within 0.0, init "rounding_op_tile_init";
    /// x - trunc(x).
    Frac: frac, frac_tile in "eltwise_unary/rounding.h", f64::fract, within 0.0, init "rounding_op_tile_init";
    /// 1 for infinities, else 0.
    Isinf: isinf, isinf_tile in "eltwise_unary/isinf_isnan.h", |x| reference::flag(x.is_infinite()), within 0.0;
    /// 1 for +infinity, else 0.
    Isposinf: isposinf, isposinf_tile in "eltwise_unary/isinf_isnan.h", |x| reference::flag(x == f64::INFINITY), within 0.0;
    /// 1 for -infinity, else 0.
    Isneginf: isneginf, isneginf_tile in "eltwise_unary/isinf_isnan.h", |x| reference::flag(x == f64::NEG_INFINITY), within 0.0;
    /// 1 for NaN, else 0.
    Isnan: isnan, isnan_tile in "eltwise_unary/isinf_isnan.h", |x| reference::flag(x.is_nan()), within 0.0;
    /// 0 for infinities and NaN, else 1.
    Isfinite: isfinite, isfinite_tile in "eltwise_unary/isinf_isnan.h", |x| reference::flag(x.is_finite()), within 0.0;
    /// 1 where the sign bit is set (also of -0), else 0.
    Signbit: signbit, signbit_tile in "compute_kernel_api.h", |x| reference::flag(x.is_sign_negative()), within 0.0;
    /// 1 / sqrt(x).
    Rsqrt: rsqrt, rsqrt_tile in "eltwise_unary/rsqrt.h", |x| 1.0 / x.sqrt(), within 1e-6;
    /// 1 / (1 + e^-x).
    Sigmoid: sigmoid, sigmoid_tile in "compute_kernel_api.h", reference::sigmoid, within 1e-6;
    /// x / (1 + e^-x).
    Silu: silu, silu_tile in "compute_kernel_api.h", |x| x * reference::sigmoid(x), within 1e-6;
    /// Hyperbolic tangent.
    Tanh: tanh, tanh_tile in "compute_kernel_api.h", f64::tanh, within 1e-6;
    /// Natural logarithm.
    Log: log, log_tile in "compute_kernel_api.h", f64::ln, within 1e-6;
    /// 2^x.
    Exp2: exp2, exp2_tile in "compute_kernel_api.h", f64::exp2, within 1e-6;
    /// e^x - 1.
    Expm1: expm1, expm1_tile in "compute_kernel_api.h", f64::exp_m1, within 1e-6;
    /// ln(1 + x).
    Log1p: log1p, log1p_tile in "eltwise_unary/log1p.h", f64::ln_1p, within 1e-6;
    /// Cube root.
    Cbrt: cbrt, cbrt_tile in "eltwise_unary/cbrt.h", f64::cbrt, within 1e-6;
    /// Sine.
    Sin: sin, sin_tile in "eltwise_unary/trigonometry.h", f64::sin, within 1e-6, or 1e-7;
    /// Cosine.
    Cos: cos, cos_tile in "eltwise_unary/trigonometry.h", f64::cos, within 1e-6, or 1e-7;
    /// x / (1 + |x|).
    Softsign: softsign, softsign_tile in "eltwise_unary/activations.h", |x| x / (1.0 + x.abs()), within 1e-6;
    /// x / 6 + 1/2, clamped to 0..1.
    Hardsigmoid: hardsigmoid, hardsigmoid_tile in "eltwise_unary/activations.h", |x| (x / 6.0 + 0.5).clamp(0.0, 1.0), within 1e-6, or 1e-7;
    /// x + value.
    AddUnary: add_unary(value: f32 = 0.7), add_unary_tile in "eltwise_unary/binop_with_scalar.h", |x, value| x + value, within 1e-7, or 1e-7,
        init "binop_with_scalar_tile_init";
    /// x - value.
    SubUnary: sub_unary(value: f32 = 0.7), sub_unary_tile in "eltwise_unary/binop_with_scalar.h", |x, value| x - value, within 1e-7, or 1e-7,
        init "binop_with_scalar_tile_init";
    /// x * value.
    MulUnary: mul_unary(value: f32 = 0.7), mul_unary_tile in "eltwise_unary/binop_with_scalar.h", |x, value| x * value, within 1e-7,
        init "binop_with_scalar_tile_init";
    /// x / value: a multiplication by the reciprocal, which is rounded first.
    DivUnary: div_unary(value: f32 = 0.7), div_unary_tile in "eltwise_unary/binop_with_scalar.h", |x, value| x / value, within 2e-7,
        init "binop_with_scalar_tile_init", words [Word::Reciprocal(0)], by mul_unary;
    /// value - x.
    RsubUnary: rsub_unary(value: f32 = 0.7), rsub_unary_tile in "eltwise_unary/binop_with_scalar.h", |x, value| value - x, within 1e-7, or 1e-7,
        init "binop_with_scalar_tile_init";
    /// A tile full of value.
    Fill: fill(value: f32 = 0.7), fill_tile in "eltwise_unary/fill.h", |_, value| value, within 0.0, call "fill_tile_bitcast", creates tile;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index() {
        for op in UnaryOp::ALL {
            let row = op.row();
            assert_eq!(row.op, op);
            assert!(row.words.len() <= super::super::MAX_WORDS && row.init_words <= row.words.len(), "{op:?}");
            assert_eq!(row.base.is_some(), row.kind != Kind::Float || row.base.is_some(), "{op:?}: a kind and of what");
        }
    }

    #[test]
    fn names_are_unique() {
        for a in UnaryOp::ALL {
            for b in UnaryOp::ALL {
                let (x, y) = (a.row(), b.row());
                assert!(
                    a == b || x.method != y.method && x.tile_method != y.tile_method && x.call != y.call,
                    "{a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn operations_that_share_an_init_are_prepared_together() {
        assert_eq!(UnaryOp::Exp.prepared(), UnaryOp::Exp);
        assert_eq!(UnaryOp::Frac.prepared(), UnaryOp::Floor);
        assert_eq!(UnaryOp::Floor.prepared(), UnaryOp::Floor);
    }
}
