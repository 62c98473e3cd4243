//! Plans from published weights: what does not depend on the actions is computed here, once.
//!
//! Two orders are opposite and easily confused: the layer norm of a block takes the FIRST half of its projection as the scale, the output
//! head takes the first half as the SHIFT.

use std::collections::BTreeMap;

use ttl::prelude::HostTensor;

use super::config::DitConfig;
use super::error::{MegakernelError, Result};
use super::matrix::Matrix;
use super::plan::{Plan, names};
use crate::checkpoint::Checkpoint;

/// Names of the tensors of a checkpoint, as GR00T's action head has them.
const HEAD: &str = "action_head";
/// Frequencies of the time encoding.
const TIME_CHANNELS: usize = 256;

/// Cosines, then sines, of `t f_i`; `f_i = exp(-ln(10000) i / 127)`.
pub fn time_projection(t: u32) -> Vec<f64> {
    let half = TIME_CHANNELS / 2;
    let angle = |i: usize| f64::from(t) * (-(10000f64.ln()) * i as f64 / (half - 1) as f64).exp();
    (0..half).map(|i| angle(i).cos()).chain((0..half).map(|i| angle(i).sin())).collect()
}

/// Sines, then cosines, of `t g_i`; `g_i = exp(-i ln(10000) / (width / 2))`: what the action encoder adds for the time.
pub fn action_time(t: u32, width: usize) -> Vec<f64> {
    let half = width / 2;
    let angle = |i: usize| f64::from(t) * (-(i as f64) * 10000f64.ln() / half as f64).exp();
    (0..half).map(|i| angle(i).sin()).chain((0..half).map(|i| angle(i).cos())).collect()
}

fn silu(z: f64) -> f64 {
    z / (1.0 + (-z).exp())
}

/// Weights of one embodiment out of a checkpoint.
#[derive(Clone, Copy, Debug)]
pub struct Hoist<'a> {
    cfg: &'a DitConfig,
    checkpoint: &'a Checkpoint,
    embodiment: u32,
}

impl<'a> Hoist<'a> {
    /// Of one embodiment; an error if the network has no such number.
    pub fn new(cfg: &'a DitConfig, checkpoint: &'a Checkpoint, embodiment: u32) -> Result<Hoist<'a>> {
        cfg.check()?;
        if embodiment >= cfg.categories {
            return Err(MegakernelError::Embodiment { id: embodiment, categories: cfg.categories });
        }
        Ok(Hoist { cfg, checkpoint, embodiment })
    }

    /// A linear layer as it is stored, `[out, in]` and `[out]`, in this order of shapes.
    fn layer(&self, name: &str, needed_for: &str, [inputs, outputs]: [u32; 2]) -> Result<[Matrix; 2]> {
        let weight = self.tensor(&format!("{name}.weight"), needed_for, &[outputs, inputs])?;
        let bias = self.tensor(&format!("{name}.bias"), needed_for, &[outputs])?;
        Ok([weight, bias])
    }

    fn tensor(&self, name: &str, needed_for: &str, shape: &[u32]) -> Result<Matrix> {
        let name = format!("{HEAD}.{name}");
        Hoist::shaped(&name, self.checkpoint.get(&name, needed_for)?, shape)
    }

    /// A tensor of the embodiment, out of one that has them all.
    fn category(&self, name: &str, needed_for: &str, shape: &[u32]) -> Result<Matrix> {
        let name = format!("{HEAD}.{name}");
        Hoist::shaped(&name, self.checkpoint.get_entry(&name, needed_for, self.embodiment)?, shape)
    }

    fn shaped(name: &str, tensor: HostTensor, shape: &[u32]) -> Result<Matrix> {
        let expected: Vec<usize> = shape.iter().map(|&n| n as usize).collect();
        if tensor.shape() != expected {
            let (name, got) = (name.to_owned(), tensor.shape().to_vec());
            return Err(MegakernelError::PlanShape { name, expected, got });
        }
        Matrix::from_host(&tensor)
    }

    /// `x W^T + b` in f64.
    fn apply(x: &[f64], [weight, bias]: &[Matrix; 2]) -> Vec<f64> {
        let dot = |row: &[f32]| row.iter().zip(x).map(|(&w, &x)| f64::from(w) * x).sum::<f64>();
        (0..weight.rows).map(|r| dot(weight.row(r)) + f64::from(bias.data[r])).collect()
    }

    /// The time embedding of a step, through `silu`.
    fn conditioning(&self, step: u32) -> Result<Vec<f64>> {
        let (w, of) = (self.cfg.width(), "the time embedding");
        let embedder = "model.timestep_encoder.timestep_embedder";
        let first = self.layer(&format!("{embedder}.linear_1"), of, [TIME_CHANNELS as u32, w])?;
        let second = self.layer(&format!("{embedder}.linear_2"), of, [w, w])?;
        let hidden: Vec<f64> =
            Hoist::apply(&time_projection(self.cfg.timestep(step)), &first).into_iter().map(silu).collect();
        Ok(Hoist::apply(&hidden, &second).into_iter().map(silu).collect())
    }

    /// The plan: names and shapes of [`enumerate_plan`](super::enumerate_plan).
    pub fn plan(&self) -> Result<Plan> {
        let mut plan = Tensors::default();
        for blk in 0..self.cfg.n_blocks {
            self.block(blk, &mut plan)?;
        }
        self.norms(&mut plan)?;
        self.tail(&mut plan)?;
        Plan::from_tensors(self.cfg, plan.0)
    }

    fn block(&self, blk: u32, plan: &mut Tensors) -> Result<()> {
        let (w, f) = (self.cfg.width(), self.cfg.ff_dim());
        let mut layers = vec![("q", "attn1.to_q", [w, w])];
        if !self.cfg.is_cross(blk) {
            layers.extend([("k", "attn1.to_k", [w, w]), ("v", "attn1.to_v", [w, w])]);
        }
        layers.extend([("o", "attn1.to_out.0", [w, w]), ("1", "ff.net.0.proj", [w, f]), ("2", "ff.net.2", [f, w])]);
        for (what, layer, shape) in layers {
            let name = format!("model.transformer_blocks.{blk}.{layer}");
            let [weight, bias] = self.layer(&name, &names::block(blk, &format!("W{what}")), shape)?;
            plan.matrix(names::block(blk, &format!("W{what}")), &weight.transposed())?;
            plan.vector(names::block(blk, &format!("b{what}")), &bias.data)?;
        }
        Ok(())
    }

    /// Scale and shift of every layer norm and step.
    fn norms(&self, plan: &mut Tensors) -> Result<()> {
        let w = self.cfg.width() as usize;
        let conditioning: Vec<Vec<f64>> =
            (0..self.cfg.steps).map(|step| self.conditioning(step)).collect::<Result<_>>()?;
        for blk in 0..=self.cfg.n_blocks {
            let head = blk == self.cfg.n_blocks;
            let layer = if head {
                "model.proj_out_1".to_owned()
            } else {
                format!("model.transformer_blocks.{blk}.norm1.linear")
            };
            let layer = self.layer(&layer, "the layer norms", [self.cfg.width(), 2 * self.cfg.width()])?;
            for (step, conditioning) in (0..).zip(&conditioning) {
                let both: Vec<f32> = Hoist::apply(conditioning, &layer).into_iter().map(|v| v as f32).collect();
                let (first, second) = both.split_at(w);
                let (scale, shift) = if head { (second, first) } else { (first, second) };
                plan.vector(names::scale(step, blk), scale)?;
                plan.vector(names::shift(step, blk), shift)?;
            }
        }
        Ok(())
    }

    fn tail(&self, plan: &mut Tensors) -> Result<()> {
        let cfg = self.cfg;
        let (w, o, d, a) = (cfg.width(), cfg.out_dim(), cfg.hidden(), cfg.a_max);
        let [weight, bias] = self.layer("model.proj_out_2", "proj_out_2", [w, o])?;
        plan.matrix("proj_out_2".to_owned(), &weight.transposed())?;
        plan.vector("proj_out_2.bias".to_owned(), &bias.data)?;
        // Layers of the embodiments are stored [in, out].
        let layers = [
            ("dec_W1", "action_decoder.layer1", [o, d]),
            ("dec_W2", "action_decoder.layer2", [d, a]),
            ("enc_W1", "action_encoder.W1", [a, w]),
            ("enc_W3", "action_encoder.W3", [w, w]),
        ];
        for (what, layer, [inputs, outputs]) in layers {
            plan.matrix(what.to_owned(), &self.category(&format!("{layer}.W"), what, &[inputs, outputs])?)?;
            let bias = self.category(&format!("{layer}.b"), what, &[outputs])?;
            plan.vector(format!("{what}.bias"), &bias.data)?;
        }
        // The second layer of the encoder takes actions and time side by side.
        let both = self.category("action_encoder.W2.W", "enc_W2a", &[2 * w, w])?;
        let bias = self.category("action_encoder.W2.b", "enc_W2a", &[w])?;
        let w = w as usize;
        plan.matrix("enc_W2a".to_owned(), &both.top(w))?;
        let time = [both.part(w..2 * w, 0..w).transposed(), bias];
        for step in 0..cfg.steps {
            let row = Hoist::apply(&action_time(cfg.timestep(step), w), &time);
            plan.vector(names::b2_step(step), &row.into_iter().map(|v| v as f32).collect::<Vec<_>>())?;
        }
        let name = format!("{HEAD}.position_embedding.weight");
        let pos = Matrix::from_host(&self.checkpoint.get(&name, "pos")?)?;
        if pos.rows < cfg.horizon as usize || pos.cols != w {
            let (expected, got) = (vec![cfg.horizon as usize, w], vec![pos.rows, pos.cols]);
            return Err(MegakernelError::PlanShape { name, expected, got });
        }
        plan.matrix("pos".to_owned(), &pos.top(cfg.horizon as usize))?;
        if cfg.n_fut > 0 {
            let future = self.tensor("future_tokens.weight", "future_tokens", &[cfg.n_fut, cfg.width()])?;
            plan.matrix("future_tokens".to_owned(), &future)?;
        }
        Ok(())
    }

    /// Keys and values [tokens, 48 heads] of a cross block from its tokens [tokens, width of the backbone].
    pub fn keys_and_values(&self, blk: u32, tokens: &Matrix) -> Result<[Matrix; 2]> {
        if !self.cfg.is_cross(blk) || blk >= self.cfg.n_blocks {
            return Err(MegakernelError::KvExtra { blocks: vec![blk] });
        }
        let of = |which: &str| -> Result<Matrix> {
            let name = format!("model.transformer_blocks.{blk}.attn1.to_{which}");
            let shape = [self.cfg.vl_width, self.cfg.width()];
            let [weight, bias] = self.layer(&name, "the hoisted keys and values", shape)?;
            Ok(tokens.times(&weight.transposed()).plus_row(&bias.data))
        };
        Ok([of("k")?, of("v")?])
    }

    /// State features [1, width] from a state: two layers with ReLU.
    pub fn state_features(&self, state: &[f32]) -> Result<Matrix> {
        if state.len() != self.cfg.state_dim as usize {
            return Err(MegakernelError::StateLength { expected: self.cfg.state_dim as usize, got: state.len() });
        }
        let x = Matrix { rows: 1, cols: state.len(), data: state.to_vec() };
        let (s, d, w) = (self.cfg.state_dim, self.cfg.hidden(), self.cfg.width());
        let layer = |x: &Matrix, name: &str, [inputs, outputs]: [u32; 2]| -> Result<Matrix> {
            let weight = self.category(&format!("state_encoder.{name}.W"), "state_features", &[inputs, outputs])?;
            let bias = self.category(&format!("state_encoder.{name}.b"), "state_features", &[outputs])?;
            Ok(x.times(&weight).plus_row(&bias.data))
        };
        layer(&layer(&x, "layer1", [s, d])?.map(|v| v.max(0.0)), "layer2", [d, w])
    }
}

/// The tensors of a plan, bf16.
#[derive(Default)]
struct Tensors(BTreeMap<String, HostTensor>);

impl Tensors {
    fn matrix(&mut self, name: String, matrix: &Matrix) -> Result<()> {
        self.0.insert(name, matrix.to_bf16()?);
        Ok(())
    }

    fn vector(&mut self, name: String, values: &[f32]) -> Result<()> {
        let tensor = HostTensor::from_vec([values.len()], values.to_vec())?;
        self.0.insert(name, tensor.to_format(ttl::prelude::DataFormat::Bf16));
        Ok(())
    }
}
