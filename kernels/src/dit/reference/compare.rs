//! How well a result agrees with a reference.

use std::fmt;

use super::super::matrix::Matrix;

/// Pearson's correlation. Of a constant matrix: 1 if the other is the same, else 0.
pub fn pcc(got: &Matrix, reference: &Matrix) -> f64 {
    assert_eq!((got.rows, got.cols), (reference.rows, reference.cols), "shapes");
    let mean = |m: &Matrix| m.data.iter().map(|&v| f64::from(v)).sum::<f64>() / m.data.len() as f64;
    let (mean_a, mean_b) = (mean(got), mean(reference));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (&a, &b) in got.data.iter().zip(&reference.data) {
        let (a, b) = (f64::from(a) - mean_a, f64::from(b) - mean_b);
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    if aa == 0.0 || bb == 0.0 {
        return if got == reference { 1.0 } else { 0.0 };
    }
    ab / (aa * bb).sqrt()
}

/// Frobenius norm of the difference over that of the reference.
pub fn relative_error(got: &Matrix, reference: &Matrix) -> f64 {
    assert_eq!((got.rows, got.cols), (reference.rows, reference.cols), "shapes");
    let square = |v: f64| v * v;
    let pairs = got.data.iter().zip(&reference.data);
    let difference: f64 = pairs.map(|(&a, &b)| square(f64::from(a) - f64::from(b))).sum();
    let norm: f64 = reference.data.iter().map(|&v| square(f64::from(v))).sum();
    if norm == 0.0 { if difference == 0.0 { 0.0 } else { f64::INFINITY } } else { (difference / norm).sqrt() }
}

/// Both figures, and the largest difference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Agreement {
    /// Pearson correlation.
    pub pcc: f64,
    /// `|a - b| / |b|` in the Euclidean norm.
    pub relative_error: f64,
    /// The largest absolute difference.
    pub largest: f32,
}

impl Agreement {
    /// Of a result beside its reference.
    pub fn of(got: &Matrix, reference: &Matrix) -> Agreement {
        let differences = got.data.iter().zip(&reference.data).map(|(a, b)| (a - b).abs());
        // `max` would lose a NaN.
        let largest = differences.fold(0.0, |most, d| if d > most || d.is_nan() { d } else { most });
        Agreement { pcc: pcc(got, reference), relative_error: relative_error(got, reference), largest }
    }

    /// Whether a result keeps a limit of the relative error, and the correlation that belongs to it.
    pub fn keeps(&self, relative_error: f64) -> bool {
        self.within(1.0 - relative_error * relative_error, relative_error)
    }

    /// Whether the figures keep limits; NaN keeps none.
    pub fn within(&self, pcc: f64, relative_error: f64) -> bool {
        self.pcc >= pcc && self.relative_error <= relative_error && !self.largest.is_nan()
    }
}

/// The relative error that a chain of products may have against the reference: 5e-3 for a block (section 12; measured 3.7e-3, of which the rounding of the
/// matrix unit's sums makes 1.1e-3 in each of four operations), and blocks add up as independent errors do.
pub fn chain_limit(n_blk: u32) -> f64 {
    5e-3 * f64::from(n_blk).sqrt()
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PCC {:.7}, RE {:.3e}, largest difference {:.3e}", self.pcc, self.relative_error, self.largest)
    }
}
