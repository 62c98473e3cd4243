//! The encoder in plain f32 arithmetic, sentence by sentence, without padding, batches or masks.

use super::config::Config;
use super::weights::{Linear, Norm, Weights};
use ttl::prelude::HostTensor;

/// A row per token.
type Rows = Vec<Vec<f32>>;

/// What the network makes of one sentence.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The tokens after the embeddings and after each layer, row by row.
    pub states: Vec<Rows>,
    /// Their mean at the end, of length 1.
    pub embedding: Vec<f32>,
}

/// Runs the network on the tokens of one sentence.
///
/// # Panics
/// If there is no token, or one that the tables do not have.
pub fn encode(config: &Config, weights: &Weights, tokens: &[u32]) -> Reference {
    let mut x = embeddings(config, weights, tokens);
    let mut states = vec![x.clone()];
    for layer in &weights.layers {
        let [q, k, v] = [&layer.query, &layer.key, &layer.value].map(|l| linear(&x, l));
        let attended = attention(config, &q, &k, &v);
        x = norm(config, &sum(&linear(&attended, &layer.out), &x), &layer.attention_norm);
        let mut wide = linear(&x, &layer.up);
        wide.iter_mut().flatten().for_each(|v| *v = gelu(*v));
        x = norm(config, &sum(&linear(&wide, &layer.down), &x), &layer.output_norm);
        states.push(x.clone());
    }
    let mut embedding = vec![0.0; config.hidden];
    for row in &x {
        embedding.iter_mut().zip(row).for_each(|(sum, v)| *sum += v / x.len() as f32);
    }
    let length = embedding.iter().map(|v| v * v).sum::<f32>().sqrt();
    embedding.iter_mut().for_each(|v| *v /= length);
    Reference { states, embedding }
}

fn embeddings(config: &Config, weights: &Weights, tokens: &[u32]) -> Rows {
    let row = |table: &HostTensor, i: usize| -> Vec<f32> {
        (0..config.hidden).map(|j| table.get(i * config.hidden + j).expect("a row of the table")).collect()
    };
    let of_type = row(&weights.types, 0);
    let rows = tokens.iter().enumerate().map(|(i, token)| {
        let (word, position) = (row(&weights.words, *token as usize), row(&weights.positions, i));
        word.iter().zip(&position).zip(&of_type).map(|((a, b), c)| a + b + c).collect()
    });
    norm(config, &rows.collect::<Rows>(), &weights.norm)
}

fn linear(x: &Rows, Linear { weight, bias }: &Linear) -> Rows {
    let weight = weight.to_f32_vec();
    let bias = bias.to_f32_vec();
    let row = |row: &Vec<f32>| {
        let mut out = bias.clone();
        for (x, of_input) in row.iter().zip(weight.chunks_exact(bias.len())) {
            out.iter_mut().zip(of_input).for_each(|(sum, w)| *sum += x * w);
        }
        out
    };
    x.iter().map(row).collect()
}

fn norm(config: &Config, x: &Rows, Norm { gamma, beta }: &Norm) -> Rows {
    let (gamma, beta) = (gamma.to_f32_vec(), beta.to_f32_vec());
    let row = |row: &Vec<f32>| {
        let n = row.len() as f32;
        let mean = row.iter().sum::<f32>() / n;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / n;
        let factor = (variance + config.eps).sqrt().recip();
        row.iter().zip(gamma.iter().zip(&beta)).map(|(v, (g, b))| (v - mean) * factor * g + b).collect()
    };
    x.iter().map(row).collect()
}

fn attention(config: &Config, q: &Rows, k: &Rows, v: &Rows) -> Rows {
    let size = config.head();
    let scale = (size as f32).sqrt().recip();
    let mut out = vec![vec![0.0; config.hidden]; q.len()];
    for head in (0..config.hidden).step_by(size) {
        let part = head..head + size;
        for (q, out) in q.iter().zip(&mut out) {
            let dot = |k: &Vec<f32>| q[part.clone()].iter().zip(&k[part.clone()]).map(|(a, b)| a * b).sum::<f32>();
            let scores: Vec<f32> = k.iter().map(|k| scale * dot(k)).collect();
            let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let exps: Vec<f32> = scores.iter().map(|s| (s - max).exp()).collect();
            let total: f32 = exps.iter().sum();
            for (v, e) in v.iter().zip(&exps) {
                out[part.clone()].iter_mut().zip(&v[part.clone()]).for_each(|(sum, v)| *sum += e / total * v);
            }
        }
    }
    out
}

fn sum(a: &Rows, b: &Rows) -> Rows {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect()
}

/// The exact one, x times the normal distribution function.
fn gelu(x: f32) -> f32 {
    let x = f64::from(x);
    (x * 0.5 * (1.0 + erf(x / std::f64::consts::SQRT_2))) as f32
}

/// The error function: the power series of the integral of `e^(-t^2)`, all of whose terms are positive, so that nothing cancels.
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > 1e-17 * sum.abs() {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_has_its_known_values() {
        let known = [
            (0.0, 0.0),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (2.0, 0.995_322_265_018_952_7),
        ];
        for (x, y) in known {
            assert!((erf(x) - y).abs() < 1e-15 && (erf(-x) + y).abs() < 1e-15, "erf({x}) = {}", erf(x));
        }
        assert_eq!(erf(7.0), 1.0);
    }

    #[test]
    fn a_norm_has_mean_0_and_variance_1() {
        let config = Config::minilm();
        let ones = HostTensor::from_fn([1, 4], |_| 1.0).expect("a row");
        let zeros = HostTensor::from_fn([1, 4], |_| 0.0).expect("a row");
        let x = norm(&config, &vec![vec![1.0, 2.0, 3.0, 6.0]], &Norm { gamma: ones, beta: zeros });
        let expected = [-2.0, -1.0, 0.0, 3.0].map(|v: f32| v / 3.5f32.sqrt());
        assert!(x[0].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{x:?}");
    }
}
