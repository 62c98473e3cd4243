//! Operations of the vector unit on one tile in the tile registers, in place.
//!
//! To add one: a row here, its name in `UNARY_METHODS` of the skeleton crate, and its steps as a function of the same name in
//! `sim::math::vector::programs`. The rest (methods of tile expressions and of tile registers, C++ headers of the simulator, tests) comes from the row.

use super::reference;

macro_rules! unary_ops {
    // The first argument is a dollar sign, for the macro that this one defines.
    (($d:tt) $(
        $(#[$doc:meta])*
        $op:ident: $method:ident, $tile:ident in $header:literal, $reference:expr, within $bound:expr
            $(, or $absolute:literal)? $(, template $template:literal)? $(, init $init:literal)?;
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
                call: concat!(stringify!($tile) $(, $template)?),
                reference: $reference,
                bound: $bound,
                absolute: [$( $absolute, )? 0.0][0],
            },
        )*];

        /// Calls a macro with `#[doc] Variant method method_tile;` for each operation.
        macro_rules! for_each_unary_op {
            ($d then:ident) => {
                $d then! { $( $(#[$doc])* $op $method $tile; )* }
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
    /// C++ call that prepares the SFPU, without arguments. Operations may share it.
    pub init: &'static str,
    /// C++ function that takes the register index.
    pub call: &'static str,
    /// The exact function, in f64.
    pub reference: fn(f64) -> f64,
    /// Largest relative error against `reference` that the hardware algorithm has for f32 registers, beyond format rounding.
    pub bound: f64,
    /// An error as small as this does not count: near zeros of the function the relative error has no bound.
    pub absolute: f64,
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
}

impl UnaryRow {
    /// Whether a result of 32-bit registers is as near to the exact value as the row says. What an f32 cannot hold is an infinity or zero.
    pub fn accepts(&self, x: f64, result: f64) -> bool {
        let exact = (self.reference)(x);
        if exact.is_nan() {
            return result.is_nan();
        }
        if exact.abs() > f64::from(f32::MAX) {
            return result == exact.signum() * f64::INFINITY;
        }
        // At least half a unit in the last place of an f32; steps of an operation may be so small that they are flushed.
        let relative = self.bound.max(6e-8) * exact.abs();
        (result - exact).abs() <= relative.max(self.absolute).max(1e-36)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index() {
        for op in UnaryOp::ALL {
            assert_eq!(op.row().op, op);
            assert_eq!(op.row().tile_method, format!("{}_tile", op.row().method));
            assert!(op.row().call.starts_with(op.row().tile_method));
        }
    }

    /// The macros know the methods by a list of their own, since their crate is built before this one.
    #[test]
    fn macros_know_the_same_methods() {
        let names: Vec<&str> = UnaryOp::ALL.iter().map(|op| op.row().method).collect();
        assert_eq!(names, ttl_skeleton::UNARY_METHODS, "the second list stands in methods.rs of the skeleton crate");
    }

    #[test]
    fn operations_that_share_an_init_are_prepared_together() {
        assert_eq!(UnaryOp::Exp.prepared(), UnaryOp::Exp);
        assert_eq!(UnaryOp::Frac.prepared(), UnaryOp::Floor);
        assert_eq!(UnaryOp::Floor.prepared(), UnaryOp::Floor);
    }
}
