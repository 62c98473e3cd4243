//! Element-wise operations of three tiles in the tile registers.
//!
//! ```text
//! Variant: method(parameter: type = example), tile_method in "header of api/compute", exact function, within relative error, options;
//! ```
//!
//! The options, in this order: `or` an absolute error; `on` the operands for which the bound holds; `template`, `call`, `init`; `by` the program; `fixed registers` if the
//! operands must be registers 0, 1 and 2 and the result 0 (no method of block expressions); `kind` of the values and of which float operation it is that kind's form.

use super::{Kind, Param, Reference, Word};

macro_rules! ternary_ops {
    (($d:tt) $(
        $(#[$doc:meta])*
        $op:ident: $method:ident $(($param:ident: $ty:ident = $example:expr))?, $tile:ident in $header:literal, $reference:expr, within $bound:expr
            $(, or $absolute:literal)? $(, on [$from:expr, $to:expr])? $(, template $template:literal)? $(, call $call:literal)? $(, init $init:literal)?
            $(, by $program:ident)? $(, fixed $fixed:ident)? $(, kind $kind:ident of $base:ident)?;
    )*) => {
        /// An element-wise operation of three tiles.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum TernaryOp {
            $( $(#[$doc])* $op, )*
        }

        impl TernaryOp {
            pub const ALL: [TernaryOp; TERNARY_COUNT] = [$( TernaryOp::$op ),*];
        }

        const TERNARY_COUNT: usize = [$( stringify!($op) ),*].len();

        static TERNARY: [TernaryRow; TERNARY_COUNT] = [$(
            TernaryRow {
                op: TernaryOp::$op,
                method: stringify!($method),
                tile_method: stringify!($tile),
                header: concat!("api/compute/", $header),
                init: [$( $init, )? concat!(stringify!($tile), "_init")][0],
                call: [$( $call, )? concat!(stringify!($tile) $(, $template)?)][0],
                params: &[$( Param::$ty(stringify!($param), $example) )?],
                words: super::words!([$($param)?]),
                reference: ternary_reference!([$($param)?] $reference),
                bound: $bound,
                absolute: [$( $absolute, )? 0.0][0],
                domain: [$( ($from, $to), )? (f64::NEG_INFINITY, f64::INFINITY)][0],
                fixed: super::is_set!($($fixed)?),
                kind: [$( Kind::$kind, )? Kind::Float][0],
                base: super::base!(TernaryOp $($base)?),
            },
        )*];

        /// Calls a macro with `#[doc] Variant method method_tile (parameter: type) [program] [fixed];` for each operation.
        macro_rules! for_each_ternary_op {
            ($d then:ident) => {
                $d then! { $( $(#[$doc])* $op $method $tile ($($param: $ty)?) [$($program)? $method] [$($fixed)?]; )* }
            };
        }
        pub(crate) use for_each_ternary_op;
    };
}

macro_rules! ternary_reference {
    ([] $f:expr) => {
        Reference::F3($f)
    };
    ([$param:ident] $f:expr) => {
        Reference::F4($f)
    };
}

/// One row of the table of ternary operations.
#[derive(Clone, Copy, Debug)]
pub struct TernaryRow {
    pub op: TernaryOp,
    /// The method of tile expressions: the first operand is its receiver.
    pub method: &'static str,
    /// The method of tile registers, which takes three operands and the result.
    pub tile_method: &'static str,
    pub header: &'static str,
    pub init: &'static str,
    pub call: &'static str,
    /// What the methods take after the operands.
    pub params: &'static [Param],
    /// What the C++ call gets after the registers.
    pub words: &'static [Word],
    /// The exact function, in f64.
    pub reference: Reference,
    pub bound: f64,
    pub absolute: f64,
    pub domain: (f64, f64),
    /// The call ignores its operands: they are registers 0, 1 and 2, and the result is 0.
    pub fixed: bool,
    /// What the values are; conditions may be of any kind.
    pub kind: Kind,
    /// The float operation that this is for tiles of `kind`.
    pub base: Option<TernaryOp>,
}

impl TernaryOp {
    pub fn row(self) -> &'static TernaryRow {
        &TERNARY[self as usize]
    }

    /// The first operation with the same init.
    pub fn prepared(self) -> TernaryOp {
        TERNARY.iter().find(|r| r.init == self.row().init).map_or(self, |r| r.op)
    }

    /// The operation for tiles of `kind`.
    pub fn of_kind(self, kind: Kind) -> Option<TernaryOp> {
        if self.row().kind == kind {
            return Some(self);
        }
        TERNARY.iter().find(|r| r.base == Some(self) && r.kind == kind).map(|r| r.op)
    }

    pub fn from_method(name: &str) -> Option<TernaryOp> {
        TERNARY.iter().find(|r| r.method == name).map(|r| r.op)
    }

    pub fn from_tile_method(name: &str) -> Option<TernaryOp> {
        TERNARY.iter().find(|r| r.tile_method == name).map(|r| r.op)
    }
}

impl TernaryRow {
    /// Whether a result of 32-bit registers is as near to the exact value as the row says, for the example parameters.
    pub fn accepts(&self, operands: [f64; 3], result: f64) -> bool {
        let inside = |x: &f64| (self.domain.0..=self.domain.1).contains(x);
        !operands.iter().all(inside) || super::close(self.exact(operands), result, self.bound, self.absolute)
    }

    /// The exact value for the example parameters.
    pub fn exact(&self, operands: [f64; 3]) -> f64 {
        let examples: Vec<f64> = self.params.iter().map(|p| p.example()).collect();
        self.reference.of(&[&operands[..], &examples[..]].concat())
    }
}

ternary_ops! { ($)
    /// `a` where the receiver is not 0, else `b`.
    Where: select, where_tile in "eltwise_unary/where.h", |c, a, b| if c != 0.0 { a } else { b }, within 0.0, template "<{dst}>", by where_;
    /// The receiver + value * a * b.
    Addcmul: addcmul(value: f32 = 0.75), addcmul_tile in "eltwise_unary/addcmul.h", |x, a, b, value| x + value * a * b, within 1e-6, or 1e-6, template "<{dst}>";
    /// The receiver + value * a / b.
    Addcdiv: addcdiv(value: f32 = 0.75), addcdiv_tile in "eltwise_unary/addcdiv.h", |x, a, b, value| x + value * a / b, within 1e-6, or 1e-6, template "<{dst}>";
    /// `a` where the receiver is not 0, else `b`, of i32.
    WhereInt32: select_int32, where_tile_int32 in "eltwise_unary/where.h", |c, a, b| if c != 0.0 { a } else { b }, within 0.0, call "where_tile<DataFormat::Int32>", init "where_tile_init", by where_int, kind I32 of Where;
    /// `a` where the receiver is not 0, else `b`, of u32.
    WhereUint32: select_uint32, where_tile_uint32 in "eltwise_unary/where.h", |c, a, b| if c != 0.0 { a } else { b }, within 0.0, call "where_tile<DataFormat::UInt32>", init "where_tile_init", by where_int, kind U32 of Where;
    /// Register 0 * register 1 + register 2, into register 0.
    Mac: mac, mac_tile in "eltwise_unary/mac.h", |a, b, c| a * b + c, within 1e-6, or 1e-6, template "<{dst}>", init "mac_tile_init<{dst}>", fixed registers;
    /// The last step of the logarithm of the gamma function: `x` is that of 1 - c for c below 1/2, a is ln(|sin(pi * c)|), b is c itself.
    LgammaAdjusted: lgamma_adjusted, lgamma_adjusted_tile in "eltwise_unary/lgamma.h", |x, a, b| if b < 0.5 { std::f64::consts::PI.ln() - a - x } else { x }, within 1e-6, or 1e-5;
    /// From the receiver to a, by the weight b: x + b * (a - x).
    Lerp: lerp, lerp_tile in "eltwise_unary/lerp.h", |x, a, b| x + b * (a - x), within 1e-6, or 1e-6, template "<{dst}>";
    /// x + sin(alpha * x)^2 / beta, for the receiver x, alpha and beta.
    SnakeBeta: snake_beta, snake_beta_tile in "eltwise_unary/snake_beta.h", |x, a, b| x + (a * x).sin().powi(2) / b, within 1e-4, or 1e-4, template "<{dst}>";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index() {
        for op in TernaryOp::ALL {
            assert_eq!(op.row().op, op);
        }
    }
}
