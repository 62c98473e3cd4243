//! The programs that take one batch through the network: one per tensor operation and layer.

use std::fmt;
use std::time::{Duration, Instant};

use super::batch::Batch;
use super::config::Config;
use super::model::{DeviceLayer, DeviceLinear, DeviceNorm, Model};
use crate::attention::{self, Attention, Mask};
use crate::elementwise::{self, Add};
use crate::layernorm::{self, LayerNorm};
use crate::matmul::{self, Activation, Options};
use crate::{embedding, pooling};
use ttl::prelude::*;

/// Score of a key that does not count. Finite: minus infinity minus itself is no number.
const HIDDEN_KEY: f32 = -1e9;

/// What a program does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Rows of a table.
    Embedding,
    /// A sum of two tensors.
    Add,
    /// Layer normalisation.
    LayerNorm,
    /// A product with a bias.
    Linear,
    /// A product with a bias, and GELU.
    LinearGelu,
    /// Attention of all heads.
    Attention,
    /// The mean of the rows that count.
    Pooling,
    /// Rows of length one.
    Normalise,
}

impl Kind {
    /// As profiles call it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Embedding => "embedding lookup",
            Kind::Add => "addition",
            Kind::LayerNorm => "residual and layer norm",
            Kind::Linear => "linear",
            Kind::LinearGelu => "linear and GELU",
            Kind::Attention => "attention",
            Kind::Pooling => "mean over tokens",
            Kind::Normalise => "L2 normalisation",
        }
    }
}

/// One program.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its place in the plan.
    pub number: usize,
    /// What it does.
    pub kind: Kind,
    /// `None` before the first layer and after the last.
    pub layer: Option<usize>,
    /// What it computes.
    pub what: &'static str,
    /// What it writes.
    pub result: TensorRef,
    /// The program, as it was built.
    pub program: Program,
    /// The program, as it runs.
    pub checked: CheckedProgram,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layer {
            Some(layer) => write!(f, "layer {} {}", layer + 1, self.what),
            None => f.write_str(self.what),
        }
    }
}

/// The programs for batches of one shape, and the tensors between them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order in which they run.
    pub steps: Vec<Step>,
    sentences: usize,
    padded: usize,
    ids: Tensor<u32>,
    /// A row per sentence: 0 for tokens, very low for padding. Added to scores.
    mask: Tensor<bf16>,
    /// A row per sentence: 1 for tokens, 0 for padding. Weights of the mean.
    counted: Tensor<bf16>,
    embeddings: Tensor<f32>,
}

impl Plan {
    /// Tensors and programs for batches of `sentences` sentences of `padded` tokens.
    pub(super) fn build(device: &mut Device, model: &Model, sentences: usize, padded: usize) -> ttl::Result<Plan> {
        let config = &model.config;
        let (tokens, shape) = ([sentences, padded], [sentences, padded, config.hidden]);
        let ids = device.zeros_row_major::<u32>("ids", &tokens, MemoryConfig::Dram)?;
        // Every sentence begins at position 0 and is of type 0. Padding may go beyond the last position.
        let last = config.positions as u32 - 1;
        let positions = HostTensor::from_vec([padded], (0..padded as u32).map(|i| i.min(last)).collect::<Vec<u32>>())?;
        let positions = device.upload_row_major::<u32>("position ids", &positions, MemoryConfig::Dram)?;
        let of_type = device.zeros_row_major::<u32>("type id", &[1], MemoryConfig::Dram)?;
        let mask = device.zeros::<bf16>("mask", &[sentences, 1, padded])?;
        let counted = device.zeros::<bf16>("counted", &tokens)?;

        let mut to = Steps { device, compute: model.compute.clone(), layer: None, steps: vec![] };
        let words = to.tensor("words", &shape)?;
        let place = to.tensor("places", &[padded, config.hidden])?;
        let kind = to.tensor("type", &[1, config.hidden])?;
        to.embedding("words", &ids, &model.words, &words)?;
        to.embedding("positions", &positions, &model.positions, &place)?;
        to.embedding("type", &of_type, &model.types, &kind)?;
        let both = to.tensor("places and type", &[padded, config.hidden])?;
        to.add("positions and type", &place, &kind, &both)?;
        let placed = to.tensor("placed words", &shape)?;
        to.add("words and positions", &words, &both, &placed)?;
        // The layers take their input from here and leave their output here.
        let x = to.tensor("x", &shape)?;
        to.norm("norm of the embeddings", &placed, None, &model.norm, &x)?;
        let between = Between::new(&mut to, config, sentences, padded)?;
        for (i, layer) in model.layers.iter().enumerate() {
            to.layer = Some(i);
            to.encoder_layer(config, layer, &x, &mask, &between)?;
        }
        to.layer = None;
        let pooled = to.device.zeros::<f32>("pooled", &[sentences, config.hidden])?;
        let embeddings = to.device.zeros::<f32>("embeddings", &[sentences, config.hidden])?;
        to.pool(&x, &counted, &pooled)?;
        to.normalise(&pooled, &embeddings)?;
        let steps = to.steps;
        Ok(Plan { steps, sentences, padded, ids, mask, counted, embeddings })
    }

    /// Whether it is for batches of this shape.
    pub fn fits(&self, batch: &Batch) -> bool {
        (self.sentences, self.padded) == (batch.tokens.len(), batch.padded)
    }

    /// Puts the tokens of a batch on the device.
    pub fn write(&self, device: &mut Device, batch: &Batch) -> ttl::Result<()> {
        if !self.fits(batch) {
            return Err(ttl::Error::Other(format!(
                "a batch of {} sentences of {} tokens for programs of {} of {}",
                batch.tokens.len(),
                batch.padded,
                self.sentences,
                self.padded
            )));
        }
        let lengths: Vec<usize> = batch.lengths().collect();
        let hidden = |i: usize| i % self.padded >= lengths[i / self.padded];
        let mask = HostTensor::from_fn(self.mask.shape(), |i| if hidden(i) { HIDDEN_KEY } else { 0.0 })?;
        let counted = HostTensor::from_fn(self.counted.shape(), |i| if hidden(i) { 0.0 } else { 1.0 })?;
        device.write(&self.ids, &HostTensor::from_vec(self.ids.shape(), batch.ids())?)?;
        device.write(&self.mask, &mask)?;
        device.write(&self.counted, &counted)
    }

    /// Runs all programs; `each` sees every one when it has run, with the time that it took.
    pub fn run(
        &self,
        device: &mut Device,
        each: &mut dyn FnMut(&Device, &Step, Duration) -> ttl::Result<()>,
    ) -> ttl::Result<()> {
        for step in &self.steps {
            let start = Instant::now();
            device.run(&step.checked)?;
            each(device, step, start.elapsed())?;
        }
        Ok(())
    }

    /// The embeddings of the batch that ran last, a row per sentence.
    pub fn read(&self, device: &Device) -> ttl::Result<HostTensor> {
        device.download(&self.embeddings)
    }
}

/// Tensors inside of a layer. All layers use the same.
struct Between {
    query: Tensor<bf16>,
    key: Tensor<bf16>,
    value: Tensor<bf16>,
    attended: Tensor<bf16>,
    out: Tensor<bf16>,
    x: Tensor<bf16>,
    wide: Tensor<bf16>,
    down: Tensor<bf16>,
}

impl Between {
    fn new(to: &mut Steps<'_>, config: &Config, sentences: usize, padded: usize) -> ttl::Result<Between> {
        let shape = [sentences, padded, config.hidden];
        Ok(Between {
            query: to.tensor("query", &shape)?,
            key: to.tensor("key", &shape)?,
            value: to.tensor("value", &shape)?,
            attended: to.tensor("attended", &shape)?,
            out: to.tensor("out", &shape)?,
            x: to.tensor("x within the layer", &shape)?,
            wide: to.tensor("wide", &[sentences, padded, config.intermediate])?,
            down: to.tensor("down", &shape)?,
        })
    }
}

/// Programs in the making.
struct Steps<'d> {
    device: &'d mut Device,
    compute: ComputeConfig,
    layer: Option<usize>,
    steps: Vec<Step>,
}

impl Steps<'_> {
    fn tensor(&mut self, name: &str, shape: &[usize]) -> ttl::Result<Tensor<bf16>> {
        self.device.zeros::<bf16>(name, shape)
    }

    fn push<T: Element>(
        &mut self,
        kind: Kind,
        what: &'static str,
        result: &Tensor<T>,
        program: Program,
    ) -> ttl::Result<()> {
        let checked = program.validate(self.device)?;
        self.steps.push(Step {
            number: self.steps.len(),
            kind,
            layer: self.layer,
            what,
            result: result.handle().clone(),
            program,
            checked,
        });
        Ok(())
    }

    fn encoder_layer(
        &mut self,
        config: &Config,
        layer: &DeviceLayer,
        x: &Tensor<bf16>,
        mask: &Tensor<bf16>,
        t: &Between,
    ) -> ttl::Result<()> {
        self.linear("query", x, &layer.query, Activation::None, &t.query)?;
        self.linear("key", x, &layer.key, Activation::None, &t.key)?;
        self.linear("value", x, &layer.value, Activation::None, &t.value)?;
        let attention = Attention { mask: Mask::Add(mask), ..Attention::of_heads(config.heads) };
        let tensors = [&t.query, &t.key, &t.value, &t.attended];
        let program = attention::program(&self.device.grid(), self.compute.clone(), tensors, &attention)?;
        self.push(Kind::Attention, "attention", &t.attended, program)?;
        self.linear("attention output", &t.attended, &layer.out, Activation::None, &t.out)?;
        self.norm("norm after attention", &t.out, Some(x), &layer.attention_norm, &t.x)?;
        self.linear("up", &t.x, &layer.up, Activation::Gelu, &t.wide)?;
        self.linear("down", &t.wide, &layer.down, Activation::None, &t.down)?;
        self.norm("norm after feed-forward", &t.down, Some(&t.x), &layer.output_norm, x)
    }

    fn embedding(
        &mut self,
        what: &'static str,
        ids: &Tensor<u32>,
        table: &Tensor<bf16>,
        y: &Tensor<bf16>,
    ) -> ttl::Result<()> {
        let program = embedding::program(&self.device.grid(), ids, table, y)?;
        self.push(Kind::Embedding, what, y, program)
    }

    fn add(&mut self, what: &'static str, a: &Tensor<bf16>, b: &Tensor<bf16>, y: &Tensor<bf16>) -> ttl::Result<()> {
        let program = elementwise::binary::<Add, bf16>(&self.device.grid(), self.compute.clone(), a, b, y)?;
        self.push(Kind::Add, what, y, program)
    }

    fn norm(
        &mut self,
        what: &'static str,
        x: &Tensor<bf16>,
        residual: Option<&Tensor<bf16>>,
        norm: &DeviceNorm,
        y: &Tensor<bf16>,
    ) -> ttl::Result<()> {
        let (gamma, beta) = (Some(&norm.gamma), Some(&norm.beta));
        let of = LayerNorm { x, residual, gamma, beta, epsilon: norm.eps, y };
        let program = layernorm::program(&self.device.grid(), self.compute.clone(), &of)?;
        self.push(Kind::LayerNorm, what, y, program)
    }

    fn linear(
        &mut self,
        what: &'static str,
        x: &Tensor<bf16>,
        linear: &DeviceLinear,
        activation: Activation,
        y: &Tensor<bf16>,
    ) -> ttl::Result<()> {
        let options = Options { bias: Some(&linear.bias), activation, ..Options::default() };
        let program = matmul::program(&self.device.grid(), self.compute.clone(), x, &linear.weight, y, &options)?;
        let kind = if activation == Activation::None { Kind::Linear } else { Kind::LinearGelu };
        self.push(kind, what, y, program)
    }

    fn pool(&mut self, x: &Tensor<bf16>, counted: &Tensor<bf16>, y: &Tensor<f32>) -> ttl::Result<()> {
        let program = pooling::mean_program(&self.device.grid(), self.compute.clone(), counted, x, y)?;
        self.push(Kind::Pooling, "mean over tokens", y, program)
    }

    fn normalise(&mut self, x: &Tensor<f32>, y: &Tensor<f32>) -> ttl::Result<()> {
        let program = pooling::normalise_program(&self.device.grid(), self.compute.clone(), x, y)?;
        self.push(Kind::Normalise, "L2 normalisation", y, program)
    }
}
