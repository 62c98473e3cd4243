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
//! program; `creates tile` if the register is not read; `init words` if the words go to the init; `wide registers` if it needs 32 bits; `polynomials two` if the library has
//! longer ones for kernels that define `INP_FLOAT32`, which the generated C++ does where registers have 32 bits; `random numbers` if the chip's generator has a part in it;
//! `kind` of the values and of which float operation it is that kind's form.

use super::{Kind, Param, Reference, Word, name_of_type, reference};

macro_rules! unary_ops {
    // The first argument is a dollar sign, for the macro that this one defines.
    (($d:tt) $(
        $(#[$doc:meta])*
        $op:ident: $method:ident $(($($param:ident: $ty:ident = $example:expr),+))?, $tile:ident in $header:literal, $reference:expr, within $bound:expr
            $(, or $absolute:literal)? $(, on [$from:expr, $to:expr])? $(, template $template:literal)? $(, call $call:literal)? $(, init $init:literal)? $(, extra $extra:literal)?
            $(, words [$($word:expr),*])? $(, by $program:ident)? $(, creates $creates:ident)? $(, init words $init_words:literal)?
            $(, wide $wide:ident)? $(, polynomials $long:ident)? $(, random $random:ident)?
            $(, kind $kind:ident of $base:ident)? $(, gives $gives:ident)?;
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
                wide: super::is_set!($($wide)?),
                long: super::is_set!($($long)?),
                random: super::is_set!($($random)?),
                reference: super::exact!([$($($param)+)?] $reference),
                bound: $bound,
                absolute: [$( $absolute, )? 0.0][0],
                domain: [$( ($from, $to), )? (f64::NEG_INFINITY, f64::INFINITY)][0],
                kind: [$( Kind::$kind, )? Kind::Float][0],
                base: super::base!(UnaryOp $($base)?),
                gives: [$( Kind::$gives, )? $( Kind::$kind, )? Kind::Float][0],
            },
        )*];

        /// Calls a macro with `#[doc] Variant method method_tile (parameter: type, ...) [program method] [creates] [random];` for each operation.
        macro_rules! for_each_unary_op {
            ($d then:ident) => {
                $d then! { $( $(#[$doc])* $op $method $tile ($($($param: $ty),+)?) [$($program)? $method] [$($creates)?] [$($random)?]; )* }
            };
        }
        pub(crate) use for_each_unary_op;
    };
}

/// Half a unit in the last place of bf16, relative to the value.
const BF16: f64 = 1.0 / 256.0;

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
    /// It needs 32-bit registers, whatever it is computed of.
    pub wide: bool,
    /// Kernels that define `INP_FLOAT32` get longer polynomials.
    pub long: bool,
    /// The init seeds the generator of random numbers and the call takes numbers from it: each call has an init of its own, so that its numbers follow from
    /// its seed alone. There is no method of block expressions, in which all tiles of a block would get the same numbers.
    pub random: bool,
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
    /// What the result holds.
    pub gives: Kind,
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

    /// What makes tiles full of a number of `kind`.
    pub const fn fill(kind: Kind) -> UnaryOp {
        match kind {
            Kind::Float => UnaryOp::Fill,
            Kind::I32 => UnaryOp::FillInt32,
            Kind::U32 | Kind::U16 => UnaryOp::FillUint32,
        }
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
    /// Whether it works on 32-bit registers only.
    pub fn needs_32_bits(&self) -> bool {
        self.wide || [self.kind, self.gives].iter().any(|kind| kind.is_32_bits())
    }

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
        init "binop_with_scalar_tile_init", words [Word::Reciprocal(0)];
    /// value - x.
    RsubUnary: rsub_unary(value: f32 = 0.7), rsub_unary_tile in "eltwise_unary/binop_with_scalar.h", |x, value| value - x, within 1e-7, or 1e-7,
        init "binop_with_scalar_tile_init";
    /// A tile full of value.
    Fill: fill(value: f32 = 0.7), fill_tile in "eltwise_unary/fill.h", |_, value| value, within 0.0, call "fill_tile_bitcast", creates tile;
    /// x where x is positive, else slope * x.
    LeakyRelu: leaky_relu(slope: f32 = 0.01), leaky_relu_tile in "eltwise_unary/relu.h", |x, slope| if x > 0.0 { x } else { slope * x }, within 1e-7;
    /// max(x, 0), at most limit.
    ReluMax: relu_max(limit: f32 = 6.0), relu_max_tile in "eltwise_unary/relu.h", |x, limit| x.max(0.0).min(limit), within 0.0;
    /// max(x, limit).
    ReluMin: relu_min(limit: f32 = -1.5), relu_min_tile in "eltwise_unary/relu.h", |x, limit| x.max(limit), within 0.0;
    /// x where x is positive, else slope * x.
    Prelu: prelu(slope: f32 = 0.2), prelu_tile in "eltwise_unary/prelu.h", |x, slope| if x > 0.0 { x } else { slope * x }, within 1e-7;
    /// x where x is positive, else alpha * (e^x - 1).
    Elu: elu(alpha: f32 = 1.2), elu_tile in "eltwise_unary/elu.h", |x, alpha| if x > 0.0 { x } else { alpha * x.exp_m1() }, within 1e-6, or 1e-7, polynomials two;
    /// scale * x where x is positive, else scale * alpha * (e^x - 1).
    Selu: selu(scale: f32 = 1.0507, alpha: f32 = 1.67326), selu_tile in "eltwise_unary/selu.h",
        |x, scale, alpha| scale * if x > 0.0 { x } else { alpha * x.exp_m1() }, within 1e-6, or 1e-7, polynomials two;
    /// x where x is positive, else alpha * (e^(x / alpha) - 1).
    Celu: celu(alpha: f32 = 1.3), celu_tile in "eltwise_unary/activations.h", |x, alpha| if x > 0.0 { x } else { alpha * (x / alpha).exp_m1() },
        within 1e-6, or 2e-7, words [Word::Bits(0), Word::Reciprocal(0)], polynomials two;
    /// ln(1 + e^(beta * x)) / beta; x itself where beta * x is above the threshold.
    // Of the long polynomials: within 4.2e-5 of ln(1 + e^-a) and 4.9e-4 of its value, over beta; beyond 5 three terms of a series, e^-15 from the value.
    Softplus: softplus(beta: f32 = 1.5, threshold: f32 = 6.0), softplus_tile in "eltwise_unary/softplus.h",
        |x, beta, threshold| if beta * x > threshold { x } else { (beta * x).exp().ln_1p() / beta },
        within 5e-4, or 3e-5, words [Word::Bits(0), Word::Reciprocal(0), Word::Bits(1)], polynomials two;
    /// x moved towards 0 by lambda, 0 within that distance.
    Softshrink: softshrink(lambda: f32 = 0.5), softshrink_tile in "eltwise_unary/activations.h",
        |x, lambda| if x > lambda { x - lambda } else if x < -lambda { x + lambda } else { 0.0 }, within 1e-7;
    /// x, but 0 within lambda of 0.
    Hardshrink: hardshrink(lambda: f32 = 0.5), hardshrink_tile in "eltwise_unary/activations.h", |x, lambda| if x.abs() > lambda { x } else { 0.0 }, within 0.0;
    /// x between the limits, else the nearer of them.
    Hardtanh: hardtanh(min: f32 = -1.5, max: f32 = 2.0), hardtanh_tile in "eltwise_unary/hardtanh.h", |x, min, max| x.max(min).min(max), within 0.0;
    /// x, or value where x is at most the threshold.
    Threshold: threshold(threshold: f32 = 0.5, value: f32 = -2.0), threshold_tile in "eltwise_unary/threshold.h",
        |x, threshold, value| if x <= threshold { value } else { x }, within 0.0;
    /// x * tanh(ln(1 + e^x)).
    Mish: mish, mish_tile in "eltwise_unary/mish.h", |x| x * x.exp().ln_1p().tanh(), within 1e-6, or 1e-7, template "<false>";
    /// The coarse form of mish.
    // A reciprocal from the table, 2^-7 as in erf_fast, and a quadratic for e^x within 1.8e-3 that the quotient has twice at most.
    MishFast: mish_fast, mish_fast_tile in "eltwise_unary/mish.h", |x| x * x.exp().ln_1p().tanh(), within 0.012, or 1e-6, call "mish_tile<true>", init "mish_tile_init<true>";
    /// x * (x / 2 + 1), the second factor between 0 and 1.
    Hardmish: hardmish, hardmish_tile in "eltwise_unary/hardmish.h", |x| x * (x / 2.0 + 1.0).clamp(0.0, 1.0), within 1e-7;
    /// The activation xIELU with beta 0.5.
    Xielu: xielu(alpha_p: f32 = 0.8, alpha_n: f32 = 0.6), xielu_tile in "eltwise_unary/xielu.h",
        |x, p, n| if x > 0.0 { p * x * x + 0.5 * x } else { n * (x.min(-1e-6).exp_m1() - x) + 0.5 * x }, within 1e-5, or 1e-6;
    /// x - tanh(x).
    Tanhshrink: tanhshrink, tanhshrink_tile in "eltwise_unary/tanhshrink.h", |x| x - x.tanh(), within 1e-6, or 1e-6;
    /// 1 - tanh(x)^2.
    // `ckernel_sfpu_tanh_derivative.h`. Wormhole: of degree 10 in x^2 below 3, off by at most 8.14e-4 (at 0.489); beyond, 4 e^(-2x) is off by 4.9e-5 at 3. Blackhole: the
    // quotient 4e / (1 + e)^2, off by 2.4e-9 for the polynomial of e.
    TanhDerivative: tanh_derivative, tanh_derivative_tile in "eltwise_unary/tanh_derivative.h", |x| 1.0 - x.tanh() * x.tanh(), within 0.0, or 8.2e-4, template "<false>";
    /// The coarse form of tanh_derivative.
    // The algorithm of `tanh_derivative`: the library has one for both.
    TanhDerivativeFast: tanh_derivative_fast, tanh_derivative_fast_tile in "eltwise_unary/tanh_derivative.h", |x| 1.0 - x.tanh() * x.tanh(), within 0.0, or 8.2e-4,
        call "tanh_derivative_tile<true>", init "tanh_derivative_tile_init<true>";
    /// The coarse form of tanh: a table of straight lines.
    // Largest at 1/2, the end of the first line of the table: 0.01884, and 2^-12 for its coefficients of half precision.
    TanhFast: tanh_fast, tanh_fast_tile in "compute_kernel_api.h", f64::tanh, within 0.0, or 0.019, call "tanh_tile<true>", init "tanh_tile_init<true>";
    /// The coarse form of the sigmoid: a table of straight lines.
    // Largest at 2, where the constant 1 begins: 1 - sigmoid(2) = 0.1192.
    SigmoidFast: sigmoid_fast, sigmoid_fast_tile in "compute_kernel_api.h", reference::sigmoid, within 0.0, or 0.12,
        call "sigmoid_tile<VectorMode::RC, true>", init "sigmoid_tile_init<true>";
    /// The coarse form of gelu: a table of straight lines.
    // Largest at 0.247, in the middle of the first line of the table: 0.02342, and 2^-12 for its coefficients of half precision.
    GeluFast: gelu_fast, gelu_fast_tile in "eltwise_unary/gelu.h", reference::gelu, within 0.0, or 0.0237, call "gelu_tile<true>", init "gelu_tile_init<true>";
    /// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
    GeluTanh: gelu_tanh, gelu_tanh_tile in "eltwise_unary/gelu.h", reference::gelu_tanh, within 1e-5, or 1e-6;
    /// The derivative of gelu.
    // `ckernel_sfpu_gelu.h`. Largest at 3.1719, where the constant 1 begins: the derivative is 1.00752 there. Between -3 and that 1/2 + x h(x^2), h of degree 8, is off by
    // 2.0e-5; below, x phi(x) (1 - 1/x^2 + 1/x^4) by 3.7e-5, at -3.
    GeluDerivative: gelu_derivative, gelu_derivative_tile in "eltwise_unary/gelu.h", reference::gelu_derivative, within 0.0, or 7.6e-3;
    /// The coarse form of gelu_tanh.
    // A polynomial for 2^f within 1.5e-5 (Blackhole) and the reciprocal after two steps of Newton's; the exponent of e^-2u is rounded by 2^-17 of an f32 above 64.
    GeluTanhFast: gelu_tanh_fast, gelu_tanh_fast_tile in "eltwise_unary/gelu.h", reference::gelu_tanh, within 2e-5, or 1e-6,
        call "gelu_tanh_tile<DST_ACCUM_MODE, true>", init "gelu_tanh_tile_init<true>";
    /// The coarse form of gelu_derivative.
    // The same without 1/x^2 and 1/x^4 in the tail: off by 1.35e-3 at -3, less than where the constant begins.
    GeluDerivativeFast: gelu_derivative_fast, gelu_derivative_fast_tile in "eltwise_unary/gelu.h", reference::gelu_derivative, within 0.0, or 7.6e-3,
        call "gelu_derivative_tile<true>", init "gelu_derivative_tile_init<true>";
    /// e^x, the coarse form; arguments that are too small become the smallest.
    // Between powers of two the bits are linear in x, centred: within 0.02983; they are rounded to steps of 2^-8, at most half of one and ln(2) times that, 0.0021.
    ExpFast: exp_fast, exp_fast_tile in "eltwise_unary/exp.h", f64::exp, within 0.033, on [-80.0, 80.0], call "exp_tile<true>", init "exp_tile_init<true>";
    /// e^x, the coarse form, for arguments of -88.5 to ln(2); larger ones give 2.
    // As exp_fast.
    ExpFastUnclamped: exp_fast_unclamped, exp_fast_unclamped_tile in "eltwise_unary/exp.h", f64::exp, within 0.033, on [-80.0, 0.69],
        call "exp_tile<true, false, InputClamping::None>", init "exp_tile_init<true, 0x3F800000, InputClamping::None>";
    /// e^(scale * x), with a scale of bf16 precision.
    ExpScaled: exp_scaled(scale: f32 = 0.375), exp_scaled_tile in "eltwise_unary/exp.h", |x, scale| (scale * x).exp(), within 1e-5,
        call "exp_tile<false, true>", init "exp_tile_init", extra "VectorMode::RC", words [Word::Bf16(0)];
    /// Natural logarithm, the coarse form.
    // The algorithm of `log` without its care for numbers that are not positive.
    LogFast: log_fast, log_fast_tile in "compute_kernel_api.h", f64::ln, within 1e-6, on [1.2e-38, f64::INFINITY], call "log_tile<true>", init "log_tile_init<true>";
    /// Logarithm to a base.
    LogWithBase: log_with_base(base: f32 = 10.0), log_with_base_tile in "compute_kernel_api.h", |x, base| x.ln() / base.ln(), within 1e-6, words [Word::ReciprocalLog(0)];
    /// ln(1 + x), the coarse form.
    // The algorithm of `log1p`: the library has one for both.
    Log1pFast: log1p_fast, log1p_fast_tile in "eltwise_unary/log1p.h", f64::ln_1p, within 1e-6, call "log1p_tile<true>", init "log1p_tile_init<true>";
    /// e^x - 1, the coarse form.
    // The algorithm of `expm1`: the library has one for both.
    Expm1Fast: expm1_fast, expm1_fast_tile in "compute_kernel_api.h", f64::exp_m1, within 1e-6, call "expm1_tile<true>", init "expm1_tile_init<true>";
    /// Square root, the coarse form.
    // The algorithm of `sqrt` without its care for zeros and negative numbers.
    SqrtFast: sqrt_fast, sqrt_fast_tile in "eltwise_unary/sqrt.h", f64::sqrt, within 1e-6, on [1.2e-38, f64::INFINITY], call "sqrt_tile<true>", init "sqrt_tile_init";
    /// 1 / sqrt(x), the coarse form.
    // The algorithm of `rsqrt` without its care for negative numbers.
    RsqrtFast: rsqrt_fast, rsqrt_fast_tile in "eltwise_unary/rsqrt.h", |x| 1.0 / x.sqrt(), within 1e-6, on [1.2e-38, f64::INFINITY], call "rsqrt_tile<RsqrtMode::Fast>", init "rsqrt_tile_init";
    /// Tangent.
    Tan: tan, tan_tile in "eltwise_unary/trigonometry.h", f64::tan, within 1e-5, or 1e-6;
    /// Arc sine.
    Asin: asin, asin_tile in "eltwise_unary/trigonometry.h", f64::asin, within 1e-5, or 1e-6;
    /// Arc cosine.
    Acos: acos, acos_tile in "eltwise_unary/trigonometry.h", f64::acos, within 1e-5, or 1e-6;
    /// Arc tangent.
    Atan: atan, atan_tile in "eltwise_unary/trigonometry.h", f64::atan, within 1e-5, or 1e-6;
    /// Hyperbolic sine.
    Sinh: sinh, sinh_tile in "eltwise_unary/trigonometry.h", f64::sinh, within 1e-6, or 1e-7;
    /// Hyperbolic cosine.
    Cosh: cosh, cosh_tile in "eltwise_unary/trigonometry.h", f64::cosh, within 1e-6;
    /// Inverse hyperbolic sine.
    Asinh: asinh, asinh_tile in "eltwise_unary/trigonometry.h", f64::asinh, within 1e-5, or 1e-6;
    /// Inverse hyperbolic cosine.
    Acosh: acosh, acosh_tile in "eltwise_unary/trigonometry.h", f64::acosh, within 1e-5, or 1e-6;
    /// Inverse hyperbolic tangent.
    Atanh: atanh, atanh_tile in "eltwise_unary/trigonometry.h", f64::atanh, within 1e-5, or 1e-6;
    /// x to the power of a number.
    Power: power(exponent: f32 = 2.3), power_tile in "compute_kernel_api.h", f64::powf, within 1e-5;
    /// x multiplied by itself, n times in all.
    PowerIterative: power_iterative(n: u32 = 3), power_iterative_tile in "compute_kernel_api.h", f64::powf, within 1e-6;
    /// base to the power of x.
    Rpow: rpow(base: f32 = 1.5), rpow_tile in "eltwise_unary/rpow.h", |x, base| base.powf(x), within 2e-5;
    /// 0 where x is negative, value at 0, 1 where it is positive.
    Heaviside: heaviside(value: f32 = 0.5), heaviside_tile in "compute_kernel_api.h", |x, value| if x < 0.0 { 0.0 } else if x > 0.0 { 1.0 } else { value }, within 0.0;
    /// The larger of x and a number.
    UnaryMax: unary_max(value: f32 = 0.7), unary_max_tile in "compute_kernel_api.h", f64::max, within 1e-7;
    /// The smaller of x and a number.
    UnaryMin: unary_min(value: f32 = 0.7), unary_min_tile in "compute_kernel_api.h", f64::min, within 1e-7;
    /// x between the limits, else the nearer of them.
    Clamp: clamp(min: f32 = -1.5, max: f32 = 2.0), clamp_tile in "eltwise_unary/clamp.h", |x, min, max| x.max(min).min(max), within 0.0;
    /// value / x.
    Rdiv: rdiv(value: f32 = 0.7), rdiv_tile in "eltwise_unary/rdiv.h", |x, value| value / x, within 1e-6;
    /// value / x without the fraction.
    RdivTrunc: rdiv_trunc(value: f32 = 20.0), rdiv_trunc_tile in "eltwise_unary/rdiv.h", |x, value| (value / x).trunc(), within 1e-6, or 1.0,
        call "rdiv_tile<RoundingMode::Trunc>", init "rdiv_tile_init";
    /// The largest integer up to value / x.
    RdivFloor: rdiv_floor(value: f32 = 20.0), rdiv_floor_tile in "eltwise_unary/rdiv.h", |x, value| (value / x).floor(), within 1e-6, or 1.0,
        call "rdiv_tile<RoundingMode::Floor>", init "rdiv_tile_init";
    /// value - x, under the name of the header `rsub.h`.
    RsubScalar: rsub_scalar(value: f32 = 0.7), rsub_tile in "eltwise_unary/rsub.h", |x, value| value - x, within 1e-7, or 1e-7, by rsub_unary;
    /// 1 where x is the number bit for bit, else 0.
    UnaryEq: unary_eq(value: f32 = 0.75), unary_eq_tile in "eltwise_unary/comp.h", |x, value| reference::flag(x == value), within 0.0;
    /// 0 where x is the number bit for bit, else 1.
    UnaryNe: unary_ne(value: f32 = 0.75), unary_ne_tile in "eltwise_unary/comp.h", |x, value| reference::flag(x != value), within 0.0;
    /// 1 where x is above the number, else 0.
    UnaryGt: unary_gt(value: f32 = 0.75), unary_gt_tile in "eltwise_unary/comp.h", |x, value| reference::flag(x > value), within 0.0;
    /// 1 where x is below the number, else 0.
    UnaryLt: unary_lt(value: f32 = 0.75), unary_lt_tile in "eltwise_unary/comp.h", |x, value| reference::flag(x < value), within 0.0;
    /// 1 where x is at least the number, else 0.
    UnaryGe: unary_ge(value: f32 = 0.75), unary_ge_tile in "eltwise_unary/comp.h", |x, value| reference::flag(x >= value), within 0.0;
    /// 1 where x is at most the number, else 0.
    UnaryLe: unary_le(value: f32 = 0.75), unary_le_tile in "eltwise_unary/comp.h", |x, value| reference::flag(x <= value), within 0.0;
    /// Rounded to a number of decimals, ties to even.
    Round: round(decimals: i32 = 1), round_tile in "eltwise_unary/rounding.h", |x, decimals| (x * 10f64.powf(decimals)).round_ties_even() / 10f64.powf(decimals),
        within 1e-6, or 1e-6, on [-1000.0, 1000.0], init "rounding_op_tile_init";
    /// Error function.
    // Of the long polynomials: they are within 7.8e-8 of erf; 19 multiply-adds, two products and the reciprocal round by 2^-24 each at most, all terms positive.
    Erf: erf, erf_tile in "eltwise_unary/erf_erfc.h", reference::erf, within 1.4e-6, template "<false>", polynomials two;
    /// Error function, the coarse form.
    // The same with a reciprocal from a table of 128 values with 7 bits: 2^-8 from the step of the table, 2^-8 from the rounding.
    ErfFast: erf_fast, erf_fast_tile in "eltwise_unary/erf_erfc.h", reference::erf, within 8e-3, call "erf_tile<true>", init "erf_tile_init<true>", polynomials two;
    /// 1 - erf(x).
    // One polynomial for all kernels: within 7e-5 of erfc up to 2.5, and within 9.7e-5 in all beyond (erfc(2.5) is 4e-4); times a reciprocal from the table, 2^-7 as in erf_fast.
    Erfc: erfc, erfc_tile in "eltwise_unary/erf_erfc.h", reference::erfc, within 8e-3, or 1.1e-4;
    /// Inverse of the error function.
    Erfinv: erfinv, erfinv_tile in "eltwise_unary/erfinv.h", reference::erfinv, within 5e-3, or 5e-3;
    /// Modified Bessel function of the first kind, order 0.
    I0: i0, i0_tile in "eltwise_unary/i0.h", reference::i0, within 1e-2, on [-8.0, 8.0];
    /// Modified Bessel function of the first kind, order 1.
    I1: i1, i1_tile in "eltwise_unary/i1.h", reference::i1, within 1e-2, or 1e-3, on [-8.0, 8.0], polynomials two;
    /// Derivative of the logarithm of the gamma function, for positive x.
    Digamma: digamma, digamma_tile in "eltwise_unary/digamma.h", reference::digamma, within 1e-3, or 1e-3, on [0.01, 100.0], polynomials two;
    /// The remainder of x / divisor, with the sign of x.
    FmodScalar: fmod_scalar(divisor: f32 = 0.75), fmod_tile in "eltwise_unary/fmod.h", |x, divisor| x % divisor, within 1e-5, or 1e-5,
        words [Word::Bits(0), Word::Reciprocal(0)], by fmod, init words 2;
    /// The remainder of x / divisor, with the sign of the divisor.
    RemainderScalar: remainder_scalar(divisor: f32 = 0.75), remainder_tile in "eltwise_unary/remainder.h", |x, divisor| x - divisor * (x / divisor).floor(), within 1e-5, or 1e-5,
        words [Word::Bits(0), Word::Reciprocal(0)], by remainder, init words 2;
    /// Logarithm of the gamma function by Stirling's series, for positive x.
    // The logarithm is a cubic within 2e-3, plus the exponent times a constant that is 2.8e-4 off, and is multiplied by x - 1/2. In exact arithmetic that makes
    // 9e-3 where lgamma is below 1 in size, else 4.7e-3 of it.
    LgammaStirling: lgamma_stirling, lgamma_stirling_tile in "eltwise_unary/lgamma.h", reference::lgamma, within 5e-3, or 9e-3, on [0.5, 100.0], by lgamma;
    /// scale times the sum of 1 / (x + k)^(n + 1) over all k from 0, for positive x: the derivative of order n of the digamma function, up to the scale.
    Polygamma: polygamma(n: f32 = 1.0, scale: f32 = 1.0), polygamma_tile in "eltwise_unary/polygamma.h", reference::polygamma, within 1e-3, or 1e-3, on [0.01, 100.0];
    /// 1 where x is 0, else 0.
    LogicalNot: logical_not, logical_not_tile in "eltwise_unary/logical_not.h", |x| reference::flag(x == 0.0), within 0.0,
        call "logical_not_tile<{dst}>", init "logical_not_tile_init";
    /// f32 of i32.
    ToF32: to_f32, typecast_tile_i32_f32 in "eltwise_unary/typecast.h", |x| x, within 1e-7, call "typecast_tile<(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::Float32>", init "typecast_tile_init<(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::Float32>", by typecast_i32_f32, kind I32 of ToF32, gives Float;
    /// f32 of u32.
    ToF32Uint32: to_f32_uint32, typecast_tile_u32_f32 in "eltwise_unary/typecast.h", |x| x, within 1e-7, call "typecast_tile<(uint32_t)DataFormat::UInt32, (uint32_t)DataFormat::Float32>", init "typecast_tile_init<(uint32_t)DataFormat::UInt32, (uint32_t)DataFormat::Float32>", by typecast_u32_f32, kind U32 of ToF32, gives Float;
    /// i32 of f32, without the fraction; what does not fit becomes the nearest limit.
    ToI32: to_i32, typecast_tile_f32_i32 in "eltwise_unary/typecast.h", |x| x.trunc(), within 0.0, call "typecast_tile<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Int32>", init "typecast_tile_init<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Int32>", by typecast_f32_i32, kind Float of ToI32, gives I32;
    /// u32 of f32, without the fraction; negative numbers become 0.
    ToU32: to_u32, typecast_tile_f32_u32 in "eltwise_unary/typecast.h", |x| x.trunc().max(0.0), within 0.0, call "typecast_tile<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::UInt32>", init "typecast_tile_init<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::UInt32>", by typecast_f32_u32, kind Float of ToU32, gives U32;
    /// u16 of f32, rounded to the nearest, ties away from zero; at most 65535, and 0 for negative numbers.
    ToU16: to_u16, typecast_tile_f32_u16 in "eltwise_unary/typecast.h", |x| x.round().clamp(0.0, 65535.0), within 0.0,
        call "typecast_tile<(uint32_t){dst}, (uint32_t)DataFormat::UInt16>", init "typecast_tile_init<(uint32_t){dst}, (uint32_t)DataFormat::UInt16>", by typecast_f32_u16, kind Float of ToU16, gives U16;
    /// u16 of i32, the nearest that there is.
    ToU16Int32: to_u16_int32, typecast_tile_i32_u16 in "eltwise_unary/typecast.h", |x| x.clamp(0.0, 65535.0), within 0.0,
        call "typecast_tile<(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::UInt16>", init "typecast_tile_init<(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::UInt16>", by typecast_i32_u16, kind I32 of ToU16, gives U16;
    /// u16 of u32, at most 65535.
    ToU16Uint32: to_u16_uint32, typecast_tile_u32_u16 in "eltwise_unary/typecast.h", |x| x.min(65535.0), within 0.0,
        call "typecast_tile<(uint32_t)DataFormat::UInt32, (uint32_t)DataFormat::UInt16>", init "typecast_tile_init<(uint32_t)DataFormat::UInt32, (uint32_t)DataFormat::UInt16>", by typecast_u32_u16, kind U32 of ToU16, gives U16;
    /// The float of u16: rounded to the nearest bf16 in 16-bit registers.
    ToF32Uint16: to_f32_uint16, typecast_tile_u16_f32 in "eltwise_unary/typecast.h", |x| x, within 0.0,
        call "typecast_tile<(uint32_t)DataFormat::UInt16, (uint32_t){dst}>", init "typecast_tile_init<(uint32_t)DataFormat::UInt16, (uint32_t){dst}>", by typecast_u16_float, kind U16 of ToF32, gives Float;
    /// i32 of u16.
    ToI32Uint16: to_i32_uint16, typecast_tile_u16_i32 in "eltwise_unary/typecast.h", |x| x, within 0.0,
        call "typecast_tile<(uint32_t)DataFormat::UInt16, (uint32_t)DataFormat::Int32>", init "typecast_tile_init<(uint32_t)DataFormat::UInt16, (uint32_t)DataFormat::Int32>", by typecast_u16_int, kind U16 of ToI32, gives I32;
    /// u32 of u16.
    ToU32Uint16: to_u32_uint16, typecast_tile_u16_u32 in "eltwise_unary/typecast.h", |x| x, within 0.0,
        call "typecast_tile<(uint32_t)DataFormat::UInt16, (uint32_t)DataFormat::UInt32>", init "typecast_tile_init<(uint32_t)DataFormat::UInt16, (uint32_t)DataFormat::UInt32>", by typecast_u16_int, kind U16 of ToU32, gives U32;
    /// The nearest bf16, ties to even; registers have 32 bits.
    ToBf16: to_bf16, typecast_tile_f32_bf16 in "eltwise_unary/typecast.h", |x| x, within BF16,
        call "typecast_tile<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Float16_b>", init "typecast_tile_init<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Float16_b>", by typecast_f32_bf16, wide registers, kind Float of ToBf16;
    /// The nearest bf16 of i32.
    ToBf16Int32: to_bf16_int32, typecast_tile_i32_bf16 in "eltwise_unary/typecast.h", |x| x, within BF16,
        call "typecast_tile<(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::Float16_b>", init "typecast_tile_init<(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::Float16_b>", by typecast_i32_bf16, kind I32 of ToBf16, gives Float;
    /// The nearest bf16 of u32.
    ToBf16Uint32: to_bf16_uint32, typecast_tile_u32_bf16 in "eltwise_unary/typecast.h", |x| x, within BF16,
        call "typecast_tile<(uint32_t)DataFormat::UInt32, (uint32_t)DataFormat::Float16_b>", init "typecast_tile_init<(uint32_t)DataFormat::UInt32, (uint32_t)DataFormat::Float16_b>", by typecast_u32_bf16, kind U32 of ToBf16, gives Float;
    /// |x| of i32.
    AbsInt32: abs_int32, abs_tile_int32 in "compute_kernel_api.h", f64::abs, within 0.0, init "abs_tile_init", kind I32 of Abs;
    /// -x of i32.
    NegativeInt32: negative_int32, negative_tile_int32 in "eltwise_unary/negative.h", |x| -x, within 0.0, init "negative_tile_init", kind I32 of Negative;
    /// 1 where x is negative, else 0, of i32.
    SignbitInt32: signbit_int32, signbit_tile_int32 in "compute_kernel_api.h", |x| reference::flag(x < 0.0), within 0.0, init "signbit_tile_int32_init", kind I32 of Signbit;
    /// max(x, 0) of i32.
    ReluInt32: relu_int32, relu_tile_int32 in "eltwise_unary/relu.h", |x| x.max(0.0), within 0.0, init "relu_tile_init", kind I32 of Relu;
    /// 1 where x = 0, else 0, of i32.
    EqzInt32: eqz_int32, eqz_tile_int32 in "eltwise_unary/comp.h", |x| reference::flag(x == 0.0), within 0.0, init "eqz_tile_init", kind I32 of Eqz;
    /// 1 where x != 0, else 0, of i32.
    NezInt32: nez_int32, nez_tile_int32 in "eltwise_unary/comp.h", |x| reference::flag(x != 0.0), within 0.0, init "nez_tile_init", kind I32 of Nez;
    /// 1 where x > 0, else 0, of i32.
    GtzInt32: gtz_int32, gtz_tile_int32 in "eltwise_unary/comp.h", |x| reference::flag(x > 0.0), within 0.0, init "gtz_tile_init", kind I32 of Gtz;
    /// 1 where x < 0, else 0, of i32.
    LtzInt32: ltz_int32, ltz_tile_int32 in "eltwise_unary/comp.h", |x| reference::flag(x < 0.0), within 0.0, init "ltz_tile_init", kind I32 of Ltz;
    /// 1 where x >= 0, else 0, of i32.
    GezInt32: gez_int32, gez_tile_int32 in "eltwise_unary/comp.h", |x| reference::flag(x >= 0.0), within 0.0, init "gez_tile_init", kind I32 of Gez;
    /// 1 where x <= 0, else 0, of i32.
    LezInt32: lez_int32, lez_tile_int32 in "eltwise_unary/comp.h", |x| reference::flag(x <= 0.0), within 0.0, init "lez_tile_init", kind I32 of Lez;
    /// 1 where x = 0, else 0, of u32.
    EqzUint32: eqz_uint32, eqz_tile_uint32 in "eltwise_unary/comp.h", |x| reference::flag(x == 0.0), within 0.0, init "eqz_tile_init", kind U32 of Eqz;
    /// 1 where x != 0, else 0, of u32.
    NezUint32: nez_uint32, nez_tile_uint32 in "eltwise_unary/comp.h", |x| reference::flag(x != 0.0), within 0.0, init "nez_tile_init", kind U32 of Nez;
    /// 1 where x is 0, else 0, of i32.
    LogicalNotInt32: logical_not_int32, logical_not_tile_int32 in "eltwise_unary/logical_not.h", |x| reference::flag(x == 0.0), within 0.0, call "logical_not_tile<DataFormat::Int32>", init "logical_not_tile_init", by logical_not_int, kind I32 of LogicalNot;
    /// The complement of every bit of i32.
    BitwiseNot: bitwise_not, bitwise_not_tile in "eltwise_unary/bitwise_not.h", |x| f64::from(!(x as i32)), within 0.0, call "bitwise_not_tile", init "bitwise_not_tile_init", by bitwise_not, kind I32 of BitwiseNot;
    /// x & value, of i32.
    BitwiseAndNumberInt32: bitwise_and_number_int32(value: i32 = 0x0ff0), bitwise_and_tile_int32 in "eltwise_unary/bitwise.h", |x, value| f64::from(x as i32 & value as i32), within 0.0, call "bitwise_and_tile<DataFormat::Int32>", init "bitwise_and_tile_init", by bitwise_and, kind I32 of BitwiseAndNumberInt32;
    /// x | value, of i32.
    BitwiseOrNumberInt32: bitwise_or_number_int32(value: i32 = 0x0ff0), bitwise_or_tile_int32 in "eltwise_unary/bitwise.h", |x, value| f64::from(x as i32 | value as i32), within 0.0, call "bitwise_or_tile<DataFormat::Int32>", init "bitwise_or_tile_init", by bitwise_or, kind I32 of BitwiseOrNumberInt32;
    /// x ^ value, of i32.
    BitwiseXorNumberInt32: bitwise_xor_number_int32(value: i32 = 0x0ff0), bitwise_xor_tile_int32 in "eltwise_unary/bitwise.h", |x, value| f64::from(x as i32 ^ value as i32), within 0.0, call "bitwise_xor_tile<DataFormat::Int32>", init "bitwise_xor_tile_init", by bitwise_xor, kind I32 of BitwiseXorNumberInt32;
    /// x << places, of i32.
    LeftShiftNumberInt32: left_shift_number_int32(places: i32 = 3), left_shift_tile_int32 in "eltwise_unary/shift.h", |x, places| f64::from((x as i32) << places as u32), within 0.0, call "left_shift_tile<DataFormat::Int32>", init "left_shift_tile_init", by left_shift, kind I32 of LeftShiftNumberInt32;
    /// x >> places, of i32.
    RightShiftNumberInt32: right_shift_number_int32(places: i32 = 3), right_shift_tile_int32 in "eltwise_unary/shift.h", |x, places| f64::from((x as i32) >> places as u32), within 0.0, call "right_shift_tile<DataFormat::Int32>", init "right_shift_tile_init", by right_shift, kind I32 of RightShiftNumberInt32;
    /// A tile full of an i32.
    FillInt32: fill_int32(value: i32 = -7), fill_tile_int32 in "eltwise_unary/fill.h", |_, value| value, within 0.0, call "fill_tile_int<DataFormat::Int32>", init "fill_tile_init", by fill_int, creates tile, kind I32 of Fill;
    /// The larger of x and a number, of i32.
    UnaryMaxInt32: unary_max_int32(value: i32 = 5), unary_max_int32_tile in "compute_kernel_api.h", f64::max, within 0.0, kind I32 of UnaryMax;
    /// The smaller of x and a number, of i32.
    UnaryMinInt32: unary_min_int32(value: i32 = 5), unary_min_int32_tile in "compute_kernel_api.h", f64::min, within 0.0, kind I32 of UnaryMin;
    /// x + value, of i32.
    AddUnaryInt32: add_unary_int32(value: i32 = -70), add_unary_tile_int32 in "eltwise_unary/binop_with_scalar.h", |x, value| x + value, within 0.0, init "binop_with_scalar_tile_init", kind I32 of AddUnary;
    /// x - value, of i32.
    SubUnaryInt32: sub_unary_int32(value: i32 = -70), sub_unary_tile_int32 in "eltwise_unary/binop_with_scalar.h", |x, value| x - value, within 0.0, init "binop_with_scalar_tile_init", kind I32 of SubUnary;
    /// value - x, of i32.
    RsubUnaryInt32: rsub_unary_int32(value: i32 = -70), rsub_unary_int32_tile in "eltwise_unary/rsub.h", |x, value| value - x, within 0.0, kind I32 of RsubUnary;
    /// x between the limits, else the nearer of them, of i32.
    ClampInt32: clamp_int32(min: i32 = -100, max: i32 = 70), clamp_tile_int32 in "eltwise_unary/clamp.h", |x, min, max| x.max(min).min(max), within 0.0, init "clamp_tile_init", kind I32 of Clamp;
    /// max(x, 0), at most limit, of i32.
    ReluMaxInt32: relu_max_int32(limit: i32 = 60), relu_max_tile_int32 in "eltwise_unary/relu.h", |x, limit| x.max(0.0).min(limit), within 0.0, init "relu_max_tile_init", kind I32 of ReluMax;
    /// max(x, limit), of i32.
    ReluMinInt32: relu_min_int32(limit: i32 = -15), relu_min_tile_int32 in "eltwise_unary/relu.h", |x, limit| x.max(limit), within 0.0, init "relu_min_tile_init", kind I32 of ReluMin;
    /// 1 where x = value, else 0, of i32.
    UnaryEqInt32: unary_eq_int32(value: i32 = 7), unary_eq_tile_int32 in "eltwise_unary/comp.h", |x, value| reference::flag(x == value), within 0.0, init "unary_eq_tile_init", kind I32 of UnaryEq;
    /// 1 where x != value, else 0, of i32.
    UnaryNeInt32: unary_ne_int32(value: i32 = 7), unary_ne_tile_int32 in "eltwise_unary/comp.h", |x, value| reference::flag(x != value), within 0.0, init "unary_ne_tile_init", kind I32 of UnaryNe;
    /// 1 where x > value, else 0, of i32.
    UnaryGtInt32: unary_gt_int32(value: i32 = 7), unary_gt_tile_int32 in "eltwise_unary/comp.h", |x, value| reference::flag(x > value), within 0.0, init "unary_gt_tile_init", kind I32 of UnaryGt;
    /// 1 where x < value, else 0, of i32.
    UnaryLtInt32: unary_lt_int32(value: i32 = 7), unary_lt_tile_int32 in "eltwise_unary/comp.h", |x, value| reference::flag(x < value), within 0.0, init "unary_lt_tile_init", kind I32 of UnaryLt;
    /// 1 where x >= value, else 0, of i32.
    UnaryGeInt32: unary_ge_int32(value: i32 = 7), unary_ge_tile_int32 in "eltwise_unary/comp.h", |x, value| reference::flag(x >= value), within 0.0, init "unary_ge_tile_init", kind I32 of UnaryGe;
    /// 1 where x <= value, else 0, of i32.
    UnaryLeInt32: unary_le_int32(value: i32 = 7), unary_le_tile_int32 in "eltwise_unary/comp.h", |x, value| reference::flag(x <= value), within 0.0, init "unary_le_tile_init", kind I32 of UnaryLe;
    /// 1 where x is 0, else 0, of u32.
    LogicalNotUint32: logical_not_uint32, logical_not_tile_uint32 in "eltwise_unary/logical_not.h", |x| reference::flag(x == 0.0), within 0.0, call "logical_not_tile<DataFormat::UInt32>", init "logical_not_tile_init", by logical_not_int, kind U32 of LogicalNot;
    /// The complement of every bit of u32.
    BitwiseNotUint32: bitwise_not_uint32, bitwise_not_tile_uint32 in "eltwise_unary/bitwise_not.h", |x| f64::from(!(x as u32)), within 0.0, call "bitwise_not_tile", init "bitwise_not_tile_init", by bitwise_not, kind U32 of BitwiseNot;
    /// x & value, of u32.
    BitwiseAndNumberUint32: bitwise_and_number_uint32(value: u32 = 0x0ff0), bitwise_and_tile_uint32 in "eltwise_unary/bitwise.h", |x, value| f64::from(x as u32 & value as u32), within 0.0, call "bitwise_and_tile<DataFormat::UInt32>", init "bitwise_and_tile_init", by bitwise_and, kind U32 of BitwiseAndNumberUint32;
    /// x | value, of u32.
    BitwiseOrNumberUint32: bitwise_or_number_uint32(value: u32 = 0x0ff0), bitwise_or_tile_uint32 in "eltwise_unary/bitwise.h", |x, value| f64::from(x as u32 | value as u32), within 0.0, call "bitwise_or_tile<DataFormat::UInt32>", init "bitwise_or_tile_init", by bitwise_or, kind U32 of BitwiseOrNumberUint32;
    /// x ^ value, of u32.
    BitwiseXorNumberUint32: bitwise_xor_number_uint32(value: u32 = 0x0ff0), bitwise_xor_tile_uint32 in "eltwise_unary/bitwise.h", |x, value| f64::from(x as u32 ^ value as u32), within 0.0, call "bitwise_xor_tile<DataFormat::UInt32>", init "bitwise_xor_tile_init", by bitwise_xor, kind U32 of BitwiseXorNumberUint32;
    /// x << places, of u32.
    LeftShiftNumberUint32: left_shift_number_uint32(places: u32 = 3), left_shift_tile_uint32 in "eltwise_unary/shift.h", |x, places| f64::from((x as u32) << places as u32), within 0.0, call "left_shift_tile<DataFormat::UInt32>", init "left_shift_tile_init", by left_shift, kind U32 of LeftShiftNumberUint32;
    /// x >> places, of u32.
    RightShiftNumberUint32: right_shift_number_uint32(places: u32 = 3), right_shift_tile_uint32 in "eltwise_unary/shift.h", |x, places| f64::from((x as u32) >> places as u32), within 0.0, call "right_shift_tile<DataFormat::UInt32>", init "right_shift_tile_init", by right_shift_uint, kind U32 of RightShiftNumberUint32;
    /// A tile full of a u32.
    FillUint32: fill_uint32(value: u32 = 7), fill_tile_uint32 in "eltwise_unary/fill.h", |_, value| value, within 0.0, call "fill_tile_int<DataFormat::UInt32>", init "fill_tile_init", by fill_int, creates tile, kind U32 of Fill;
    /// The larger of x and a number, of u32.
    UnaryMaxUint32: unary_max_uint32(value: u32 = 5), unary_max_uint32_tile in "compute_kernel_api.h", f64::max, within 0.0, kind U32 of UnaryMax;
    /// The smaller of x and a number, of u32.
    UnaryMinUint32: unary_min_uint32(value: u32 = 5), unary_min_uint32_tile in "compute_kernel_api.h", f64::min, within 0.0, kind U32 of UnaryMin;
    /// x, at most limit, of u32.
    ReluMaxUint32: relu_max_uint32(limit: u32 = 60), relu_max_tile_uint32 in "eltwise_unary/relu.h", |x, limit| x.min(limit), within 0.0, init "relu_max_tile_init", kind U32 of ReluMax;
    /// max(x, limit), of u32.
    ReluMinUint32: relu_min_uint32(limit: u32 = 15), relu_min_tile_uint32 in "eltwise_unary/relu.h", |x, limit| x.max(limit), within 0.0, init "relu_min_tile_init", kind U32 of ReluMin;
    /// x, of u32.
    IdentityUint32: identity_uint32, identity_tile_uint32 in "eltwise_unary/identity.h", |x| x, within 0.0, init "identity_tile_init", kind U32 of Identity;
    /// 1 where x = 0, else 0, of u16.
    EqzUint16: eqz_uint16, eqz_tile_uint16 in "eltwise_unary/comp.h", |x| reference::flag(x == 0.0), within 0.0, init "eqz_tile_init", kind U16 of Eqz;
    /// 1 where x != 0, else 0, of u16.
    NezUint16: nez_uint16, nez_tile_uint16 in "eltwise_unary/comp.h", |x| reference::flag(x != 0.0), within 0.0, init "nez_tile_init", kind U16 of Nez;
    /// x, at most limit, of u16.
    ReluMaxUint16: relu_max_uint16(limit: u32 = 60), relu_max_tile_uint16 in "eltwise_unary/relu.h", |x, limit| x.min(limit), within 0.0, init "relu_max_tile_init", kind U16 of ReluMax;
    /// max(x, limit), of u16.
    ReluMinUint16: relu_min_uint16(limit: u32 = 15), relu_min_tile_uint16 in "eltwise_unary/relu.h", |x, limit| x.max(limit), within 0.0, init "relu_min_tile_init", kind U16 of ReluMin;
    /// The remainder of x / divisor of u32; the divisor is not 0.
    RemainderScalarUint32: remainder_scalar_uint32(divisor: u32 = 7), remainder_tile_uint32 in "eltwise_unary/remainder.h", |x, divisor| x % divisor, within 0.0,
        init "remainder_tile_uint32_init", kind U32 of RemainderScalar;
    /// A neighbour of x among the bf16 numbers, by chance: the nearer, the likelier.
    // Nothing documents which numbers of the generator decide, and ttsim refuses to run it: the simulator takes the nearest, and either neighbour is within the bound.
    StochasticRound: stochastic_round, stochastic_round_tile in "eltwise_unary/rounding.h", |x| x, within 2.0 * BF16, init "rounding_op_tile_init";
    /// Random numbers, evenly spread from `from` to `from + scale`.
    Rand: rand(seed: u32 = 7, from: f32 = -1.0, scale: f32 = 3.0), rand_tile in "eltwise_unary/rand.h", |_, _, from, scale| from + scale / 2.0, within 1.0, or 1.5,
        creates tile, init words 1, wide registers, random numbers;
    /// 0 with a probability of `probability / (2^31 - 1)`, else x * scale.
    Dropout: dropout(seed: u32 = 7, probability: u32 = 0x2000_0000, scale: f32 = 1.25), dropout_tile in "eltwise_unary/dropout.h", |x, _, _, scale| x * scale, within 1.0,
        init "dropout_kernel_init", init words 1, random numbers;
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
                assert!(a == b || x.method != y.method && x.tile_method != y.tile_method, "{a:?} {b:?}");
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
