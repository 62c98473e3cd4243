//! The network as it is published: no padding, no rounding, no scale folded into weights. From the plan, not from the packed bytes.
//!
//! It shares nothing with the other references but products of matrices, and so finds what they and the kernels might have misunderstood
//! together: padding of heads and keys, the order of scale and shift, which keys a block attends to.

use super::super::arena::ArenaLayout;
use super::super::bindings::Masks;
use super::super::config::{DitConfig, KeySet};
use super::super::consts::{BLOCK_EPS, EULER_DT, HEAD_EPS};
use super::super::error::{MegakernelError, Result};
use super::super::matrix::Matrix;
use super::super::plan::{Plan, names};
use super::super::tables::valid_mask;
use super::block::CallInputs;
use std::collections::BTreeMap;
use ttl::prelude::HostTensor;

/// What comes with a call, unpadded: keys and values [keys, 48 heads] of the cross blocks, and which keys of each set are valid.
#[derive(Clone, Debug, Default)]
pub struct ModelInputs {
    /// By block.
    pub kv: BTreeMap<u32, [Matrix; 2]>,
    /// By key set.
    pub valid: BTreeMap<KeySet, Vec<bool>>,
}

impl ModelInputs {
    /// As the device program takes them.
    pub fn for_device(&self, layout: &ArenaLayout) -> Result<CallInputs> {
        let mut inputs = CallInputs::default();
        for (&blk, [k, v]) in &self.kv {
            inputs.kv.insert(blk, [layout.place_kv(blk, "K", k)?, layout.place_kv(blk, "V", v)?]);
        }
        let mask = |set: KeySet| match (self.valid.get(&set), layout.l_pad_of(set)) {
            (Some(valid), Some(l_pad)) => valid_mask(layout.cfg(), valid, l_pad).map(Some),
            _ => Ok(None),
        };
        inputs.masks =
            Masks { text: mask(KeySet::Text)?, image: mask(KeySet::Image)?, all: mask(KeySet::All)?, own: None };
        Ok(inputs)
    }
}

/// The network of a plan.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    cfg: &'a DitConfig,
    plan: &'a Plan,
    inputs: &'a ModelInputs,
}

impl<'a> Model<'a> {
    /// A network with its weights, for one call.
    pub const fn new(cfg: &'a DitConfig, plan: &'a Plan, inputs: &'a ModelInputs) -> Model<'a> {
        Model { cfg, plan, inputs }
    }

    fn get(&self, name: &str) -> Result<Matrix> {
        Matrix::from_host(&*self.plan.get(name)?)
    }

    fn linear(&self, x: &Matrix, weights: &str, bias: &str) -> Result<Matrix> {
        Ok(x.times(&self.get(weights)?).plus_row(self.get(bias)?.row(0)))
    }

    fn block_linear(&self, x: &Matrix, blk: u32, what: &str) -> Result<Matrix> {
        self.linear(x, &names::block(blk, &format!("W{what}")), &names::block(blk, &format!("b{what}")))
    }

    /// `LN(x) (1 + scale) + shift` in f64.
    fn norm(x: &Matrix, eps: f32, scale: &[f32], shift: &[f32]) -> Matrix {
        let n = x.cols as f64;
        let mut out = x.clone();
        for row in out.data.chunks_exact_mut(x.cols) {
            let mean = row.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
            let variance = row.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / n;
            let deviation = (variance + f64::from(eps)).sqrt();
            for ((v, &scale), &shift) in row.iter_mut().zip(scale).zip(shift) {
                let normal = (f64::from(*v) - mean) / deviation;
                *v = (normal * (1.0 + f64::from(scale)) + f64::from(shift)) as f32;
            }
        }
        out
    }

    /// Softmax attention of one head; `valid` says which keys are seen.
    fn head(q: &Matrix, k: &Matrix, v: &Matrix, valid: &dyn Fn(usize) -> bool) -> Matrix {
        let scale = 1.0 / (q.cols as f64).sqrt();
        let mut out = Matrix::zeros(q.rows, v.cols);
        for r in 0..q.rows {
            let keys: Vec<usize> = (0..k.rows).filter(|&key| valid(key)).collect();
            let scores: Vec<f64> = keys
                .iter()
                .map(|&key| {
                    q.row(r).iter().zip(k.row(key)).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() * scale
                })
                .collect();
            let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = scores.iter().map(|s| (s - max).exp()).collect();
            let sum: f64 = weights.iter().sum();
            for c in 0..v.cols {
                let total: f64 = keys.iter().zip(&weights).map(|(&key, p)| p * f64::from(v.at(key, c))).sum();
                out.data[r * v.cols + c] = (total / sum) as f32;
            }
        }
        out
    }

    /// One block of a step; `x` has M rows.
    pub fn block(&self, x: &Matrix, blk: u32, step: u32) -> Result<Matrix> {
        let [scale, shift] = [names::scale(step, blk), names::shift(step, blk)].map(|name| self.get(&name));
        let h = Model::norm(x, BLOCK_EPS, scale?.row(0), shift?.row(0));
        let q = self.block_linear(&h, blk, "q")?;
        let all = vec![true; x.rows];
        let (k, v, valid) = match self.cfg.key_set(blk) {
            None => (self.block_linear(&h, blk, "k")?, self.block_linear(&h, blk, "v")?, &all),
            Some(set) => {
                let [k, v] = self.inputs.kv.get(&blk).ok_or(MegakernelError::KvLacks { blk })?;
                let valid = self.inputs.valid.get(&set).ok_or(MegakernelError::MaskMissing { set: set.name() })?;
                (k.clone(), v.clone(), valid)
            }
        };
        let wide = self.cfg.head_dim() as usize;
        let mut a = Matrix::zeros(x.rows, q.cols);
        for at in (0..q.cols).step_by(wide) {
            let of = |m: &Matrix| m.part(0..m.rows, at..at + wide);
            a.place(0, at, &Model::head(&of(&q), &of(&k), &of(&v), &|key| valid.get(key) == Some(&true)));
        }
        let x = x.clone().plus(&self.block_linear(&a, blk, "o")?);
        let zero = vec![0.0; x.cols];
        let h2 = Model::norm(&x, BLOCK_EPS, &zero, &zero);
        let f = self.block_linear(&h2, blk, "1")?.map(|z| {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (f64::from(z) + 0.044_715 * f64::from(z).powi(3));
            (0.5 * f64::from(z) * (1.0 + inner.tanh())) as f32
        });
        Ok(x.plus(&self.block_linear(&f, blk, "2")?))
    }

    /// All blocks and the output head: `y` and the residual stream.
    pub fn step(&self, x: &Matrix, step: u32) -> Result<[Matrix; 2]> {
        let mut x = x.clone();
        for blk in 0..self.cfg.n_blocks {
            x = self.block(&x, blk, step)?;
        }
        let last = self.cfg.n_blocks;
        let [scale, shift] = [names::scale(step, last), names::shift(step, last)].map(|name| self.get(&name));
        let z = Model::norm(&x, HEAD_EPS, scale?.row(0), shift?.row(0));
        Ok([self.linear(&z, "proj_out_2", "proj_out_2.bias")?, x])
    }

    /// The loop: actions [H, A_max].
    pub fn steps4(&self, noise: &HostTensor, state: &HostTensor) -> Result<Matrix> {
        let cfg = self.cfg;
        let mut actions = Matrix::from_host(noise)?;
        for step in 0..cfg.steps {
            let a = self.linear(&actions, "enc_W1", "enc_W1.bias")?;
            let c = self.linear(&a, "enc_W2a", &names::b2_step(step))?;
            let c = c.map(|z| (f64::from(z) / (1.0 + (-f64::from(z)).exp())) as f32);
            let e = self.linear(&c, "enc_W3", "enc_W3.bias")?.plus(&self.get("pos")?);
            let mut x = Matrix::zeros(cfg.m() as usize, cfg.width() as usize);
            x.row_mut(0).copy_from_slice(&state.to_f32_vec());
            if cfg.n_fut > 0 {
                x.place(1, 0, &self.get("future_tokens")?);
            }
            x.place(cfg.action_rows().start as usize, 0, &e);
            let [y, _] = self.step(&x, step)?;
            let rows = cfg.action_rows();
            let y = y.part(rows.start as usize..rows.end as usize, 0..y.cols);
            let d = self.linear(&y, "dec_W1", "dec_W1.bias")?.map(|v| v.max(0.0));
            let v = self.linear(&d, "dec_W2", "dec_W2.bias")?;
            actions = actions.plus(&v.map(|v| EULER_DT * v));
        }
        Ok(actions)
    }
}
