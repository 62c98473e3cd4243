//! Operations with names.

use crate::{binary_operation, unary_operation};

binary_operation! {
    /// `a + b`
    pub Add, |a, b| a + b
}
binary_operation! {
    /// `a - b`
    pub Sub, |a, b| a - b
}
binary_operation! {
    /// `a * b`
    pub Mul, |a, b| a * b
}
binary_operation! {
    /// `a / b`
    pub Div, |a, b| a / b
}
binary_operation! {
    /// The larger one.
    pub Max, |a, b| a.max(b)
}
binary_operation! {
    /// The smaller one.
    pub Min, |a, b| a.min(b)
}
binary_operation! {
    /// `relu(a + b)`
    pub AddRelu, |a, b| (a + b).relu()
}
binary_operation! {
    /// `gelu(a + b)`
    pub AddGelu, |a, b| (a + b).gelu()
}

unary_operation! {
    /// `x` where it is positive, else 0.
    pub Relu, |x| x.relu()
}
unary_operation! {
    /// `x` times the normal distribution's integral up to `x`.
    pub Gelu, |x| x.gelu()
}
unary_operation! {
    /// `x / (1 + e^-x)`
    pub Silu, |x| x.silu()
}
unary_operation! {
    /// `1 / (1 + e^-x)`
    pub Sigmoid, |x| x.sigmoid()
}
unary_operation! {
    /// The hyperbolic tangent.
    pub Tanh, |x| x.tanh()
}
unary_operation! {
    /// `e^x`
    pub Exp, |x| x.exp()
}
unary_operation! {
    /// The natural logarithm.
    pub Log, |x| x.log()
}
unary_operation! {
    /// The square root.
    pub Sqrt, |x| x.sqrt()
}
unary_operation! {
    /// `1 / x`
    pub Recip, |x| x.recip()
}
unary_operation! {
    /// `-x`
    pub Neg, |x| -x
}
unary_operation! {
    /// `x * x`
    pub Square, |x| x.square()
}
