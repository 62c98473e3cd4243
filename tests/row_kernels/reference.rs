//! Exact results in f64, with the largest error that rounding explains.

/// An exact value and how far a result may be from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounded {
    pub(crate) value: f64,
    pub(crate) bound: f64,
}

/// Where a kernel rounds, and how much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounding {
    /// Of a value that goes from the registers to a buffer and back to an operand of the matrix unit. With 16-bit registers: bf16, to the nearest. With 32-bit
    /// registers: f32, of which the matrix unit takes 11 bits and drops the rest.
    pub(crate) kept: f64,
    /// Of each pass of the matrix unit, and of each operation, in the registers.
    pub(crate) register: f64,
    /// Passes of a product: at HiFi4 four, each rounded.
    pub(crate) passes: f64,
    /// Of the result.
    pub(crate) result: f64,
    /// Of each of 16 products, as a part of the largest of them: half a unit in the last of the 11 bits of a product, after they were aligned to it.
    pub(crate) aligned: f64,
    /// Operands as they are taken from tensors: exact for bf16, 11 bits of f32.
    pub(crate) operand: f64,
}

pub(crate) fn rounding(fp32_dest_acc: bool, f32_tensors: bool) -> Rounding {
    // Half a unit in the last of 8 bits.
    let bf16 = 2f64.powi(-8);
    let tf32 = 2f64.powi(-10);
    Rounding {
        kept: if fp32_dest_acc { tf32 } else { bf16 },
        register: if fp32_dest_acc { 2f64.powi(-24) } else { bf16 },
        passes: 4.0,
        result: if f32_tensors && fp32_dest_acc { 2f64.powi(-24) } else { bf16 },
        aligned: 2f64.powi(-11),
        operand: if f32_tensors { tf32 } else { 0.0 },
    }
}

/// Of the vector unit's polynomials.
const POLYNOMIAL: f64 = 2e-6;

/// Softmax of one row, or its logarithm.
pub(crate) fn softmax(x: &[f64], log: bool, r: Rounding) -> Vec<Bounded> {
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exps: Vec<f64> = x.iter().map(|v| (v - max).exp()).collect();
    let sum: f64 = exps.iter().sum();
    // Of the exponent: both operands, and the difference.
    let off_less = |v: f64| r.operand * (v.abs() + max.abs()) + r.register * (v - max).abs();
    // Relative to an exponential.
    let off_exp = |v: f64| off_less(v).exp_m1() + POLYNOMIAL + 2.0 * r.register + r.kept;
    let lost: f64 = x.iter().zip(&exps).filter(|(_, e)| **e > 0.0).map(|(v, e)| e * off_exp(*v)).sum();
    let off_sum = (lost + sum_error(&exps, r)) / sum;
    x.iter()
        .zip(&exps)
        .map(|(v, e)| {
            if log {
                let value = v - max - sum.ln();
                let off_log = off_sum * (1.0 + off_sum) + POLYNOMIAL + sum.ln() * (2.0 * r.register + r.kept);
                let off = off_less(*v) + off_log + (2.0 * r.register + r.result) * (value.abs() + off_log);
                return Bounded { value, bound: off + 1e-30 };
            }
            let value = e / sum;
            if value == 0.0 {
                return Bounded { value, bound: 1e-37 };
            }
            let off_scale = off_sum + POLYNOMIAL + 2.0 * r.register + r.kept;
            let off = off_exp(*v) + off_scale + r.passes * r.register + r.result;
            Bounded { value, bound: value * off * (1.0 + off) + 1e-37 }
        })
        .collect()
}

/// The error of a sum over a row of `values`, tile by tile: every tile rounds what was summed up to it, and aligns its products to the
/// largest of each 16; the second pass, over the lower bits, is 5 bits below.
pub(crate) fn sum_error(values: &[f64], r: Rounding) -> f64 {
    let (mut sum, mut error) = (0.0f64, 0.0);
    for tile in values.chunks(32) {
        sum += tile.iter().sum::<f64>();
        let size: f64 = tile.iter().map(|v| v.abs()).sum();
        // Two faces, four passes each.
        error += 8.0 * r.register * sum.abs().max(size);
        for face in tile.chunks(16) {
            let step = r.aligned * (1.0 + 2f64.powi(-5)) * face.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            error += face.iter().map(|v| v.abs().min(step)).sum::<f64>();
        }
    }
    error + r.operand * values.iter().map(|v| v.abs()).sum::<f64>()
}

/// `(x - mean) / sqrt(var + epsilon) * gamma + beta` for one row, `mean` 0 where `centred` is false.
pub(crate) fn normalised(
    x: &[f64],
    gamma: Option<&[f64]>,
    beta: Option<&[f64]>,
    epsilon: f64,
    centred: bool,
    r: Rounding,
) -> Vec<Bounded> {
    let n = x.len() as f64;
    let tiles = x.len().div_ceil(32) as f64;
    let mean = if centred { x.iter().sum::<f64>() / n } else { 0.0 };
    let var = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let scale = 1.0 / (var + epsilon).sqrt();
    // Of the mean: its sum, and twice what is lost on the way.
    let off_mean =
        if centred { sum_error(x, r) / n + 2.0 * r.kept * mean.abs() + 2.0 * r.register * mean.abs() } else { 0.0 };
    let largest = x.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max);
    // Of a centred element: the mean's, and its own rounding, in a register and on its way back.
    let off_centred = |v: f64| {
        off_mean + (r.kept + 2.0 * r.register + r.operand) * (v - mean).abs() + (r.register + r.operand) * v.abs()
    };
    // The sum of squares rounds in every pass of every tile, then as a buffer, then as a sum of 32.
    let off_var = (2.0 * off_centred(mean + largest) * (var.sqrt() + off_mean))
        + var
            * (r.passes * r.register * (tiles + 2.0) + r.kept + 8.0 * r.register + 4.0 * r.aligned + 4.0 * r.register);
    let off_scale = scale * (off_var / (var + epsilon) / 2.0).min(1e30) + scale * (2.0 * r.register + r.kept);
    x.iter()
        .enumerate()
        .map(|(i, v)| {
            let normal = (v - mean) * scale;
            let off = off_centred(*v) * (scale + off_scale)
                + (v - mean).abs() * off_scale
                + normal.abs() * r.passes * r.register;
            let g = gamma.map_or(1.0, |g| g[i]);
            let b = beta.map_or(0.0, |b| b[i]);
            let product = normal * g;
            let off = off * g.abs() * (1.0 + r.operand) + product.abs() * (r.passes * r.register + r.operand);
            let value = product + b;
            let bound = off + value.abs() * (r.register + r.result) + b.abs() * r.operand + off * r.result + 1e-30;
            Bounded { value, bound }
        })
        .collect()
}
