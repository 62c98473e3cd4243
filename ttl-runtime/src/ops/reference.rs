//! Exact functions of the operations, in f64: their form, and those that the standard library has not.

/// The exact function of an operation: of its operands, then of its parameters.
#[derive(Clone, Copy)]
pub enum Reference {
    F1(fn(f64) -> f64),
    F2(fn(f64, f64) -> f64),
    F3(fn(f64, f64, f64) -> f64),
    F4(fn(f64, f64, f64, f64) -> f64),
}

impl Reference {
    /// # Panics
    /// If there are fewer arguments than it takes.
    pub fn of(self, arguments: &[f64]) -> f64 {
        let a = |n: usize| arguments[n];
        match self {
            Reference::F1(f) => f(a(0)),
            Reference::F2(f) => f(a(0), a(1)),
            Reference::F3(f) => f(a(0), a(1), a(2)),
            Reference::F4(f) => f(a(0), a(1), a(2), a(3)),
        }
    }
}

impl std::fmt::Debug for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reference")
    }
}

pub(super) fn flag(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

pub(super) fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// 1 - erf(x) by the series 7.1.5 of Abramowitz and Stegun (|x| < 3) or the continued fraction 7.1.14.
pub(super) fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    if x < 3.0 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term.abs() > 1e-18 * sum.abs().max(1e-300) {
            n += 1.0;
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        1.0 - sum * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        let fraction = (1..60).rev().fold(x, |f, k| x + f64::from(k) / 2.0 / f);
        (-x * x).exp() / fraction * std::f64::consts::FRAC_2_SQRT_PI / 2.0
    }
}

/// `x * Phi(x)`.
pub(super) fn gelu(x: f64) -> f64 {
    x * normal(x)
}

/// The normal distribution function.
fn normal(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_agrees_with_known_values() {
        // From tables of the normal distribution: Phi(1) = 0.841344746068543, Phi(-5) = 2.866515718791939e-7.
        assert!((gelu(1.0) - 0.841344746068543).abs() < 1e-14);
        assert!((gelu(-5.0) / -5.0 / 2.866515718791939e-7 - 1.0).abs() < 1e-11);
        assert_eq!(gelu(0.0), 0.0);
    }
}
