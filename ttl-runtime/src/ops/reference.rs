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

pub(super) fn erf(x: f64) -> f64 {
    if x.abs() < 3.0 { x.signum() * (1.0 - erfc(x.abs())) } else { 1.0 - erfc(x) }
}

/// The inverse of erf by Newton's method, NaN outside of -1..=1.
pub(super) fn erfinv(y: f64) -> f64 {
    if y.abs() >= 1.0 {
        return if y.abs() > 1.0 { f64::NAN } else { y * f64::INFINITY };
    }
    // Winitzki's approximation to start from.
    let l = (1.0 - y * y).ln();
    let t = 2.0 / (std::f64::consts::PI * 0.147) + l / 2.0;
    let mut x = y.signum() * ((t * t - l / 0.147).sqrt() - t).sqrt();
    for _ in 0..4 {
        x -= (erf(x) - y) / (std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp());
    }
    if y == 0.0 { 0.0 } else { x }
}

pub(super) fn gelu_tanh(x: f64) -> f64 {
    let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
    0.5 * x * (1.0 + inner.tanh())
}

pub(super) fn gelu_derivative(x: f64) -> f64 {
    normal(x) + x * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The f32 after `a` in the direction of `b`.
pub(super) fn next_after(a: f64, b: f64) -> f64 {
    let x = a as f32;
    let next = if b > a { x.next_up() } else { x.next_down() };
    f64::from(if a == b { x } else { next })
}

/// One unit in the last place of bf16 from `a` in the direction of `b`.
pub(super) fn next_after_bf16(a: f64, b: f64) -> f64 {
    let bits = (a as f32).to_bits();
    let away = (b > a) == (a >= 0.0);
    let next = if away { bits.wrapping_add(0x1_0000) } else { bits.wrapping_sub(0x1_0000) };
    if a == b { a } else { f64::from(f32::from_bits(next)) }
}

/// The modified Bessel functions of the first kind by their series.
fn bessel(x: f64, order: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut sum, mut k) = (if order == 0.0 { 1.0 } else { x / 2.0 }, 0.0, 0.0);
    while f64::abs(term) > 1e-18 * f64::abs(sum) {
        sum += term;
        k += 1.0;
        term *= quarter / (k * (k + order));
    }
    sum
}

pub(super) fn i0(x: f64) -> f64 {
    bessel(x, 0.0)
}

pub(super) fn i1(x: f64) -> f64 {
    bessel(x, 1.0)
}

/// By recurrence to a large argument, and the asymptotic series 6.3.18 of Abramowitz and Stegun there.
pub(super) fn digamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 10.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + x.ln() - 0.5 / x - y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))))
}

pub(super) fn lgamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 10.0 {
        sum -= x.ln();
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x;
    sum + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

pub(super) fn polygamma(x: f64, n: f64, scale: f64) -> f64 {
    let terms: f64 = (0..40).map(|k| (x + f64::from(k)).powf(-n - 1.0)).sum();
    // The rest by the formula of Euler and Maclaurin.
    let a = x + 40.0;
    let rest = a.powf(-n) / n + 0.5 * a.powf(-n - 1.0) + (n + 1.0) / 12.0 * a.powf(-n - 2.0);
    scale * (terms + rest)
}

/// 1 where two numbers are close.
pub(super) fn isclose(a: f64, b: f64, rtol: f64, atol: f64) -> f64 {
    flag(a == b || (a - b).abs() <= rtol * b.abs() + atol)
}

/// The byte of the nearest int8.
pub(super) fn byte(x: f64) -> f64 {
    f64::from(((x + 128.0).max(0.0).round().min(255.0) - 128.0) as i8 as u8)
}

/// What a byte of int8 stands for, and 128.
pub(super) fn of_byte(x: f64) -> f64 {
    f64::from(x as u8 as i8) + 128.0
}

pub(super) fn lcm(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { (a / gcd(a, b) * b).abs() }
}

pub(super) fn gcd(a: f64, b: f64) -> f64 {
    if b == 0.0 { a.abs() } else { gcd(b, a % b) }
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
