//! The weights of a network by name, as the arena takes them: unpadded, not yet scaled, `[in, out]`.
//!
//! What does not depend on the actions is precomputed and stands in the plan as a vector: scale and shift of every layer norm and step, and
//! `tau_k E2b + e2` of every step.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ttl::prelude::{DataFormat, HostTensor};
use ttl::runtime::tensor::random::Random;

use super::arena::ArenaLayout;
use super::config::DitConfig;
use super::error::{MegakernelError, Result};

/// Names of the plan.
pub mod names {
    /// A tensor of a block.
    pub fn block(blk: u32, what: &str) -> String {
        format!("blocks.{blk}.{what}")
    }

    /// A scale of a layer norm; `blk` = number of blocks is the output head's.
    pub fn scale(step: u32, blk: u32) -> String {
        format!("adaln.{step}.{blk}.scale")
    }

    /// The shift of a block's layer norm in a step.
    pub fn shift(step: u32, blk: u32) -> String {
        format!("adaln.{step}.{blk}.shift")
    }

    /// `tau_k E2b + e2`.
    pub fn b2_step(step: u32) -> String {
        format!("enc.b2.{step}")
    }
}

/// Every name of a network's plan with its shape.
pub fn enumerate_plan(cfg: &DitConfig) -> BTreeMap<String, Vec<usize>> {
    let n = |value: u32| value as usize;
    let (w, f, o, d, a) = (n(cfg.width()), n(cfg.ff_dim()), n(cfg.out_dim()), n(cfg.hidden()), n(cfg.a_max));
    let heads = n(cfg.n_heads() * cfg.head_dim());
    let mut plan = BTreeMap::new();
    let mut add = |name: String, shape: &[usize]| {
        plan.insert(name, shape.to_vec());
    };
    for blk in 0..cfg.n_blocks {
        // K and V of a cross block come from outside.
        let inputs: &[&str] = if cfg.is_cross(blk) { &["q"] } else { &["q", "k", "v"] };
        for input in inputs {
            add(names::block(blk, &format!("W{input}")), &[w, heads]);
            add(names::block(blk, &format!("b{input}")), &[heads]);
        }
        for (what, rows, cols) in [("o", heads, w), ("1", w, f), ("2", f, w)] {
            add(names::block(blk, &format!("W{what}")), &[rows, cols]);
            add(names::block(blk, &format!("b{what}")), &[cols]);
        }
    }
    for step in 0..cfg.steps {
        for blk in 0..=cfg.n_blocks {
            add(names::scale(step, blk), &[w]);
            add(names::shift(step, blk), &[w]);
        }
        add(names::b2_step(step), &[w]);
    }
    for (what, rows, cols) in [("proj_out_2", w, o), ("dec_W1", o, d), ("dec_W2", d, a), ("enc_W1", a, w)] {
        add(what.to_owned(), &[rows, cols]);
        add(format!("{what}.bias"), &[cols]);
    }
    add("enc_W2a".to_owned(), &[w, w]);
    add("enc_W3".to_owned(), &[w, w]);
    add("enc_W3.bias".to_owned(), &[w]);
    add("pos".to_owned(), &[n(cfg.horizon), w]);
    if cfg.n_fut > 0 {
        add("future_tokens".to_owned(), &[n(cfg.n_fut), w]);
    }
    plan
}

/// Weights by name. A random plan makes a tensor when it is asked for, so that a full network needs no memory for it.
#[derive(Clone, Debug)]
pub struct Plan {
    shapes: BTreeMap<String, Vec<usize>>,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Random { seed: u64, scale: f32 },
    Tensors(BTreeMap<String, HostTensor>),
}

impl Plan {
    /// Matrices of mean 0 and deviation `scale`, vectors of deviation 0.1; every tensor has a stream of its own, from the seed and its name.
    pub fn random(layout: &ArenaLayout, seed: u64, scale: f32) -> Plan {
        Plan::random_of(layout.cfg(), seed, scale)
    }

    /// A scale of random weights with which the input is seen in the result of a chain of blocks: a product of K terms multiplies the spread of its input
    /// by `scale * sqrt(K)`, and here the four products of a block, with the scale of attention and GELU among them, by about 1.
    pub fn scale(cfg: &DitConfig) -> f32 {
        0.12 / (cfg.banks as f32).sqrt()
    }

    /// [`Plan::random`] for a configuration.
    pub fn random_of(cfg: &DitConfig, seed: u64, scale: f32) -> Plan {
        Plan { shapes: enumerate_plan(cfg), source: Source::Random { seed, scale } }
    }

    /// Weights that are there: every name of [`enumerate_plan`] and no other, in its shape, finite.
    pub fn from_tensors(cfg: &DitConfig, tensors: BTreeMap<String, HostTensor>) -> Result<Plan> {
        let shapes = enumerate_plan(cfg);
        for (name, shape) in &shapes {
            let tensor = tensors
                .get(name)
                .ok_or_else(|| MegakernelError::PlanLacks { name: name.clone(), shape: shape.clone() })?;
            if tensor.shape() != shape {
                let (expected, got) = (shape.clone(), tensor.shape().to_vec());
                return Err(MegakernelError::PlanShape { name: name.clone(), expected, got });
            }
            if tensor.format().is_integer() {
                return Err(MegakernelError::PlanDtype { name: name.clone(), dtype: tensor.format().to_string() });
            }
            let values = tensor.to_f32_vec();
            if let Some(index) = values.iter().position(|v| !v.is_finite()) {
                return Err(MegakernelError::PlanValue { name: name.clone(), index, value: values[index] });
            }
        }
        if let Some(name) = tensors.keys().find(|name| !shapes.contains_key(*name)) {
            return Err(MegakernelError::PlanExtra { name: name.clone(), version: cfg.version });
        }
        Ok(Plan { shapes, source: Source::Tensors(tensors) })
    }

    /// Names and shapes.
    pub fn shapes(&self) -> &BTreeMap<String, Vec<usize>> {
        &self.shapes
    }

    /// A tensor, bf16.
    pub fn get(&self, name: &str) -> Result<Cow<'_, HostTensor>> {
        let lacks = || MegakernelError::PlanLacks { name: name.to_owned(), shape: Vec::new() };
        let shape = self.shapes.get(name).ok_or_else(lacks)?;
        match &self.source {
            Source::Random { seed, scale } => {
                let mut random = Random::new(seed ^ hash(name));
                let matrix = shape.len() == 2 && shape.iter().all(|&n| n > 1);
                let scale = if matrix { *scale } else { 0.1 };
                let tensor = HostTensor::from_fn(shape.as_slice(), |_| random.normal() * scale)?;
                Ok(Cow::Owned(tensor.to_format(DataFormat::Bf16)))
            }
            Source::Tensors(tensors) => {
                let tensor = tensors.get(name).ok_or_else(lacks)?;
                Ok(match tensor.format() {
                    DataFormat::Bf16 => Cow::Borrowed(tensor),
                    _ => Cow::Owned(tensor.to_format(DataFormat::Bf16)),
                })
            }
        }
    }

    /// With every tensor in memory, so that some can be changed.
    pub fn to_tensors(&self) -> Result<BTreeMap<String, HostTensor>> {
        self.shapes.keys().map(|name| Ok((name.clone(), self.get(name)?.into_owned()))).collect()
    }
}

/// FNV-1a: the stream of a tensor depends on its name, not on its place among others.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
