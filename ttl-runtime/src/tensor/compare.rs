//! How far two arrays are apart.

use std::fmt;

use half::bf16;

use super::error::TensorError;
use super::host::HostTensor;
use super::host_data::HostData;

/// The distance of two arrays of one shape. The errors and the correlation are over the elements that are finite in both.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// How many elements were compared.
    pub elements: usize,
    /// Elements with the same bits; if the sides have different formats, with the same value.
    pub bit_equal: usize,
    /// The largest absolute difference.
    pub max_abs: f64,
    /// `|a - b| / |b|` over all elements, in the Euclidean norm.
    pub rel_l2: f64,
    /// Pearson correlation; 1 for equal arrays, even constant ones; 0 if only one side is constant.
    pub pcc: f64,
    /// Largest distance in steps of the format (bf16 if both are bf16, 1 where an integer takes part, else f32); +0 and -0 are 0 apart.
    pub max_ulp: u32,
    /// Infinities and NaNs are at the same places on both sides.
    pub same_non_finite: bool,
}

impl Comparison {
    /// Compares `a` with the expected `b`.
    pub fn of(a: &HostTensor, b: &HostTensor) -> Result<Comparison, TensorError> {
        if a.shape() != b.shape() {
            return Err(TensorError::ShapeMismatch { left: a.shape().to_vec(), right: b.shape().to_vec() });
        }
        Ok(match (a.data(), b.data()) {
            (HostData::Bf16(a), HostData::Bf16(b)) => {
                let ulp = |x: bf16, y: bf16| steps(i64::from(x.to_bits()), i64::from(y.to_bits()), 0x8000);
                compare(a, b, |x| f64::from(x.to_f32()), |x, y| x.to_bits() == y.to_bits(), ulp)
            }
            (HostData::F32(a), HostData::F32(b)) => compare_f32(a, b),
            (HostData::F32(_) | HostData::Bf16(_), HostData::F32(_) | HostData::Bf16(_)) => {
                compare_f32(&a.to_f32_vec(), &b.to_f32_vec())
            }
            (x, y) => {
                // Integers, or integers beside floats: f64 holds both.
                let ulp = |x: f64, y: f64| (x - y).abs() as u32;
                compare(&x.to_f64_vec(), &y.to_f64_vec(), |x| x, |x, y| x == y, ulp)
            }
        })
    }

    /// Share of bit-equal elements, 0 to 1.
    pub fn share_equal(&self) -> f64 {
        self.bit_equal as f64 / self.elements as f64
    }

    /// Whether all bits are the same.
    pub const fn is_bit_equal(&self) -> bool {
        self.bit_equal == self.elements
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "max abs error {:.3e} ({} ulp), relative L2 error {:.3e}, PCC {:.7}, {:.4} % of {} elements bit-equal",
            self.max_abs,
            self.max_ulp,
            self.rel_l2,
            self.pcc,
            100.0 * self.share_equal(),
            self.elements
        )?;
        if !self.same_non_finite {
            f.write_str(", infinities or NaNs differ")?;
        }
        Ok(())
    }
}

fn compare_f32(a: &[f32], b: &[f32]) -> Comparison {
    let ulp = |x: f32, y: f32| steps(i64::from(x.to_bits()), i64::from(y.to_bits()), 0x8000_0000);
    compare(a, b, f64::from, |x, y| x.to_bits() == y.to_bits(), ulp)
}

/// Distance of two sign-and-magnitude patterns on the number line.
fn steps(a: i64, b: i64, sign: i64) -> u32 {
    let line = |bits: i64| if bits & sign == 0 { bits } else { sign - bits };
    // Finite patterns span less than 2^32 steps.
    (line(a) - line(b)).unsigned_abs() as u32
}

fn compare<T: Copy>(
    a: &[T],
    b: &[T],
    value: impl Fn(T) -> f64,
    same: impl Fn(T, T) -> bool,
    ulp: impl Fn(T, T) -> u32,
) -> Comparison {
    let mut out = Comparison {
        elements: a.len(),
        bit_equal: 0,
        max_abs: 0.0,
        rel_l2: 0.0,
        pcc: 1.0,
        max_ulp: 0,
        same_non_finite: true,
    };
    let (mut n, mut sum_a, mut sum_b, mut diff2, mut norm2) = (0u64, 0.0, 0.0, 0.0, 0.0);
    for (&x, &y) in a.iter().zip(b) {
        out.bit_equal += usize::from(same(x, y));
        let (vx, vy) = (value(x), value(y));
        if !(vx.is_finite() && vy.is_finite()) {
            out.same_non_finite &= vx == vy || vx.is_nan() && vy.is_nan();
            continue;
        }
        n += 1;
        sum_a += vx;
        sum_b += vy;
        out.max_abs = out.max_abs.max((vx - vy).abs());
        out.max_ulp = out.max_ulp.max(ulp(x, y));
        diff2 += (vx - vy) * (vx - vy);
        norm2 += vy * vy;
    }
    out.rel_l2 = if diff2 == 0.0 { 0.0 } else { (diff2 / norm2).sqrt() };
    if out.max_abs > 0.0 {
        // A second pass around the means: the one-pass formula cancels for arrays far from 0.
        let (mean_a, mean_b) = (sum_a / n as f64, sum_b / n as f64);
        let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
        for (&x, &y) in a.iter().zip(b) {
            let (vx, vy) = (value(x), value(y));
            if vx.is_finite() && vy.is_finite() {
                let (dx, dy) = (vx - mean_a, vy - mean_b);
                ab += dx * dy;
                aa += dx * dx;
                bb += dy * dy;
            }
        }
        out.pcc = if aa > 0.0 && bb > 0.0 { ab / (aa * bb).sqrt() } else { 0.0 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::format::DataFormat;

    fn t(v: &[f32]) -> HostTensor {
        HostTensor::from_vec([v.len()], v.to_vec()).unwrap()
    }

    fn bf(v: &[f32]) -> HostTensor {
        t(v).to_format(DataFormat::Bf16)
    }

    #[test]
    fn equal_arrays() {
        for a in [t(&[1.0, 2.0, 3.0]), bf(&[1.0, 2.0, 3.0]), t(&[4.0, 4.0])] {
            let c = Comparison::of(&a, &a).unwrap();
            assert!(c.is_bit_equal());
            assert_eq!((c.max_abs, c.rel_l2, c.pcc, c.max_ulp), (0.0, 0.0, 1.0, 0));
            assert_eq!(c.share_equal(), 1.0);
        }
    }

    #[test]
    fn known_distances() {
        let c = Comparison::of(&t(&[1.0, 2.0, 3.0, 4.0]), &t(&[1.0, 2.0, 3.0, 5.0])).unwrap();
        assert_eq!((c.bit_equal, c.max_abs), (3, 1.0));
        assert!((c.rel_l2 - (1.0f64 / 39.0).sqrt()).abs() < 1e-12);
        // cov = 6.5, var = 5 and 8.75
        assert!((c.pcc - 6.5 / (5.0f64 * 8.75).sqrt()).abs() < 1e-12);
        assert_eq!(
            c.to_string(),
            "max abs error 1.000e0 (2097152 ulp), relative L2 error 1.601e-1, PCC 0.9827076, 75.0000 % of 4 elements bit-equal"
        );
    }

    #[test]
    fn steps_of_the_format() {
        let next = f32::from_bits(1.0f32.to_bits() + 3);
        assert_eq!(Comparison::of(&t(&[next]), &t(&[1.0])).unwrap().max_ulp, 3);
        assert_eq!(Comparison::of(&bf(&[1.0078125]), &bf(&[1.0])).unwrap().max_ulp, 1);
        let c = Comparison::of(&t(&[-0.0]), &t(&[0.0])).unwrap();
        assert_eq!((c.max_ulp, c.bit_equal), (0, 0));
        let c = Comparison::of(&t(&[-f32::from_bits(1)]), &t(&[f32::from_bits(2)])).unwrap();
        assert_eq!(c.max_ulp, 3);
        let c = Comparison::of(&t(&[f32::MIN]), &t(&[f32::MAX])).unwrap();
        assert_eq!(c.max_ulp, 2 * 0x7F7F_FFFF);
        // bf16 beside f32 is compared by value.
        let c = Comparison::of(&bf(&[1.5, 2.0]), &t(&[1.5, 2.0])).unwrap();
        assert!(c.is_bit_equal());
    }

    #[test]
    fn integers_are_compared_exactly() {
        let i = |v: Vec<i32>| HostTensor::from_vec([v.len()], v).unwrap();
        let c = Comparison::of(&i(vec![16_777_217, -5]), &i(vec![16_777_216, -5])).unwrap();
        assert_eq!((c.bit_equal, c.max_abs, c.max_ulp), (1, 1.0, 1));
        let c = Comparison::of(&i(vec![i32::MIN]), &i(vec![i32::MAX])).unwrap();
        assert_eq!(c.max_ulp, u32::MAX);
        assert!(Comparison::of(&i(vec![3, 4]), &t(&[3.0, 4.0])).unwrap().is_bit_equal());
        let bytes = HostTensor::from_vec([2], vec![3u8, 4]).unwrap();
        assert!(Comparison::of(&i(vec![3, 4]), &bytes).unwrap().is_bit_equal());
    }

    #[test]
    fn infinities_and_nans() {
        let inf = f32::INFINITY;
        let c = Comparison::of(&t(&[1.0, inf, f32::NAN]), &t(&[1.0, inf, f32::NAN])).unwrap();
        assert!(c.same_non_finite && c.max_abs == 0.0 && c.pcc == 1.0);
        for other in [[1.0, -inf], [1.0, f32::NAN], [1.0, 7.0]] {
            let c = Comparison::of(&t(&[1.0, inf]), &t(&other)).unwrap();
            assert!(!c.same_non_finite);
            assert!(c.to_string().ends_with("infinities or NaNs differ"));
        }
    }

    #[test]
    fn constants_and_shapes() {
        assert_eq!(Comparison::of(&t(&[2.0, 2.0]), &t(&[1.0, 3.0])).unwrap().pcc, 0.0);
        let e = Comparison::of(&t(&[2.0, 2.0]), &t(&[1.0])).unwrap_err();
        assert_eq!(e.to_string(), "the shapes differ: [2] and [1]\n  = help: give both the same shape");
    }
}
