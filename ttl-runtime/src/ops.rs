//! The table of tile operations: one row per operation, from which the method, the C++ calls and the tests come.
//!
//! Headers and calls are those of TT-Metalium 0.81 (`api/compute/eltwise_unary/*.h`, `api/compute/eltwise_binary*.h`).

/// An SFPU operation on one tile in the tile registers, in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum UnaryOp {
    Exp,
    Relu,
    Gelu,
    Sqrt,
    Recip,
}

/// One row of the table of unary operations.
#[derive(Clone, Copy, Debug)]
pub struct UnaryRow {
    pub op: UnaryOp,
    /// The method of tile expressions, `x.exp()`.
    pub method: &'static str,
    pub header: &'static str,
    /// C++ call that prepares the SFPU, without arguments.
    pub init: &'static str,
    /// C++ function that takes the register index.
    pub call: &'static str,
    /// The exact function, in f64.
    pub reference: fn(f64) -> f64,
    /// Largest relative error against `reference` that the hardware algorithm has for f32 registers, beyond format rounding.
    pub bound: f64,
}

impl UnaryOp {
    pub const ALL: [UnaryOp; 5] = [UnaryOp::Exp, UnaryOp::Relu, UnaryOp::Gelu, UnaryOp::Sqrt, UnaryOp::Recip];

    pub const fn row(self) -> &'static UnaryRow {
        &UNARY[self as usize]
    }

    pub fn from_method(name: &str) -> Option<UnaryOp> {
        UNARY.iter().find(|r| r.method == name).map(|r| r.op)
    }
}

const UNARY: [UnaryRow; 5] = [
    UnaryRow {
        op: UnaryOp::Exp,
        method: "exp",
        header: "api/compute/eltwise_unary/exp.h",
        init: "exp_tile_init",
        call: "exp_tile",
        reference: f64::exp,
        bound: 1e-6,
    },
    UnaryRow {
        op: UnaryOp::Relu,
        method: "relu",
        header: "api/compute/eltwise_unary/relu.h",
        init: "relu_tile_init",
        call: "relu_tile",
        reference: |x| x.max(0.0),
        bound: 0.0,
    },
    UnaryRow {
        op: UnaryOp::Gelu,
        method: "gelu",
        header: "api/compute/eltwise_unary/gelu.h",
        // `false`: the accurate erf form; the default is a coarse table.
        init: "gelu_tile_init<false>",
        call: "gelu_tile<false>",
        reference: gelu,
        bound: 1e-5,
    },
    UnaryRow {
        op: UnaryOp::Sqrt,
        method: "sqrt",
        header: "api/compute/eltwise_unary/sqrt.h",
        init: "sqrt_tile_init",
        call: "sqrt_tile",
        reference: f64::sqrt,
        bound: 1e-6,
    },
    UnaryRow {
        op: UnaryOp::Recip,
        method: "recip",
        header: "api/compute/eltwise_unary/recip.h",
        init: "recip_tile_init",
        call: "recip_tile",
        reference: |x| 1.0 / x,
        bound: 1e-6,
    },
];

/// `x * Phi(x)` with the error function by its Abramowitz-Stegun series 7.1.5 (|x| < 3) or continued fraction 7.1.14.
fn gelu(x: f64) -> f64 {
    let z = x / std::f64::consts::SQRT_2;
    let erfc = |a: f64| {
        if a < 3.0 {
            let (mut term, mut sum, mut n) = (a, a, 0.0);
            while term.abs() > 1e-18 * sum.abs().max(1e-300) {
                n += 1.0;
                term *= -a * a / n;
                sum += term / (2.0 * n + 1.0);
            }
            1.0 - sum * std::f64::consts::FRAC_2_SQRT_PI
        } else {
            let fraction = (1..60).rev().fold(a, |f, k| a + f64::from(k) / 2.0 / f);
            (-a * a).exp() / fraction * std::f64::consts::FRAC_2_SQRT_PI / 2.0
        }
    };
    let phi = if z >= 0.0 { 1.0 - 0.5 * erfc(z) } else { 0.5 * erfc(-z) };
    x * phi
}

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
        for op in UnaryOp::ALL {
            assert_eq!(op.row().op, op);
        }
        for op in BinaryOp::ALL {
            assert_eq!(op.row().op, op);
        }
    }

    #[test]
    fn gelu_reference_agrees_with_known_values() {
        // From tables of the normal distribution: Phi(1) = 0.841344746068543, Phi(-5) = 2.866515718791939e-7.
        assert!((gelu(1.0) - 0.841344746068543).abs() < 1e-14);
        assert!((gelu(-5.0) / -5.0 / 2.866515718791939e-7 - 1.0).abs() < 1e-11);
        assert_eq!(gelu(0.0), 0.0);
    }
}
