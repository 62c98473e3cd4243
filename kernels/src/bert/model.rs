//! An encoder on a device.

use std::time::Duration;

use super::batch::Batch;
use super::config::Config;
use super::plan::{Plan, Step};
use super::weights::{Layer, Linear, Norm, Weights};
use ttl::prelude::*;

/// Weights on the device, in bf16, and the programs for the shapes of batches that were there so far.
#[derive(Debug)]
pub struct Model {
    pub(super) config: Config,
    pub(super) compute: ComputeConfig,
    pub(super) words: Tensor<bf16>,
    pub(super) positions: Tensor<bf16>,
    pub(super) types: Tensor<bf16>,
    pub(super) norm: DeviceNorm,
    pub(super) layers: Vec<DeviceLayer>,
    plans: Vec<Plan>,
}

#[derive(Debug)]
pub(super) struct DeviceLinear {
    pub weight: Tensor<bf16>,
    pub bias: Tensor<bf16>,
}

#[derive(Debug)]
pub(super) struct DeviceNorm {
    pub gamma: Tensor<bf16>,
    pub beta: Tensor<bf16>,
    pub eps: f32,
}

#[derive(Debug)]
pub(super) struct DeviceLayer {
    pub query: DeviceLinear,
    pub key: DeviceLinear,
    pub value: DeviceLinear,
    pub out: DeviceLinear,
    pub attention_norm: DeviceNorm,
    pub up: DeviceLinear,
    pub down: DeviceLinear,
    pub output_norm: DeviceNorm,
}

impl Model {
    /// Puts the weights on the device. Sums are f32 in the tile registers; what lies between the programs is bf16.
    pub fn upload(device: &mut Device, config: &Config, weights: &Weights) -> ttl::Result<Model> {
        let mut table = |name: &str, host: &HostTensor| device.upload_row_major::<bf16>(name, host, MemoryConfig::Dram);
        let words = table("word table", &weights.words)?;
        let positions = table("position table", &weights.positions)?;
        let types = table("type table", &weights.types)?;
        let mut up = Upload { device, eps: config.eps, layer: String::new() };
        let norm = up.norm("embeddings norm", &weights.norm)?;
        let layers = weights.layers.iter().enumerate().map(|(i, layer)| up.layer(i, layer));
        Ok(Model {
            config: config.clone(),
            compute: ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() },
            words,
            positions,
            types,
            norm,
            layers: layers.collect::<ttl::Result<_>>()?,
            plans: vec![],
        })
    }

    /// The programs for batches of this shape; they are made when a shape is met for the first time.
    pub fn plan(&mut self, device: &mut Device, batch: &Batch) -> ttl::Result<&Plan> {
        self.check(batch)?;
        let index = match self.plans.iter().position(|plan| plan.fits(batch)) {
            Some(index) => index,
            None => {
                let plan = Plan::build(device, self, batch.tokens.len(), batch.padded)?;
                self.plans.push(plan);
                self.plans.len() - 1
            }
        };
        Ok(&self.plans[index])
    }

    /// The embeddings of a batch, a row per sentence. `each` sees every program when it has run, with the time that it took.
    pub fn encode(
        &mut self,
        device: &mut Device,
        batch: &Batch,
        each: &mut dyn FnMut(&Device, &Step, Duration) -> ttl::Result<()>,
    ) -> ttl::Result<HostTensor> {
        let plan = self.plan(device, batch)?;
        plan.write(device, batch)?;
        plan.run(device, each)?;
        plan.read(device)
    }

    fn check(&self, batch: &Batch) -> ttl::Result<()> {
        let Config { positions, vocab, .. } = self.config;
        let wrong = |what: String| Err(ttl::Error::Other(what));
        if batch.tokens.is_empty() {
            return wrong("a batch without sentences".to_owned());
        }
        for (sentence, tokens) in batch.sentences.iter().zip(&batch.tokens) {
            if tokens.is_empty() {
                return wrong(format!("sentence {} has no tokens; the tokenizer's marks are missing", sentence + 1));
            }
            if tokens.len() > positions.min(batch.padded) {
                let n = tokens.len();
                return wrong(format!("sentence {} has {n} tokens, the model has {positions} positions", sentence + 1));
            }
            if let Some(id) = tokens.iter().find(|id| **id as usize >= vocab) {
                return wrong(format!("sentence {} has token {id}, the model knows {vocab} words", sentence + 1));
            }
        }
        Ok(())
    }
}

/// Brings weights to the device.
struct Upload<'d> {
    device: &'d mut Device,
    eps: f32,
    /// In front of names.
    layer: String,
}

impl Upload<'_> {
    fn tensor(&mut self, name: &str, part: &str, host: &HostTensor) -> ttl::Result<Tensor<bf16>> {
        self.device.upload::<bf16>(&format!("{}{name} {part}", self.layer), host)
    }

    fn norm(&mut self, name: &str, norm: &Norm) -> ttl::Result<DeviceNorm> {
        let (gamma, beta) = (self.tensor(name, "gamma", &norm.gamma)?, self.tensor(name, "beta", &norm.beta)?);
        Ok(DeviceNorm { gamma, beta, eps: self.eps })
    }

    fn linear(&mut self, name: &str, linear: &Linear) -> ttl::Result<DeviceLinear> {
        let (weight, bias) = (self.tensor(name, "weight", &linear.weight)?, self.tensor(name, "bias", &linear.bias)?);
        Ok(DeviceLinear { weight, bias })
    }

    fn layer(&mut self, number: usize, layer: &Layer) -> ttl::Result<DeviceLayer> {
        self.layer = format!("layer {} ", number + 1);
        Ok(DeviceLayer {
            query: self.linear("query", &layer.query)?,
            key: self.linear("key", &layer.key)?,
            value: self.linear("value", &layer.value)?,
            out: self.linear("out", &layer.out)?,
            attention_norm: self.norm("attention norm", &layer.attention_norm)?,
            up: self.linear("up", &layer.up)?,
            down: self.linear("down", &layer.down)?,
            output_norm: self.norm("output norm", &layer.output_norm)?,
        })
    }
}
