//! The weights of an encoder on the host.

use ttl::Error;
use ttl::prelude::HostTensor;

use super::config::Config;
use crate::checkpoint::Checkpoint;

/// A layer `y = x * weight + bias`.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Inputs x outputs: the transpose of what a checkpoint has.
    pub weight: HostTensor,
    /// One row.
    pub bias: HostTensor,
}

/// Factor and summand of a layer norm, one row each.
#[derive(Clone, Debug)]
pub struct Norm {
    /// Factors.
    pub gamma: HostTensor,
    /// Summands.
    pub beta: HostTensor,
}

/// One of the layers.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Makes the queries, all heads side by side.
    pub query: Linear,
    /// Makes the keys.
    pub key: Linear,
    /// Makes the values.
    pub value: Linear,
    /// What follows attention.
    pub out: Linear,
    /// Of the first residual sum.
    pub attention_norm: Norm,
    /// The first product of the feed-forward part, before GELU.
    pub up: Linear,
    /// The second one.
    pub down: Linear,
    /// Of the second residual sum.
    pub output_norm: Norm,
}

/// All of them, f32.
#[derive(Clone, Debug)]
pub struct Weights {
    /// A row per word, per position, per type.
    pub words: HostTensor,
    /// A row per position.
    pub positions: HostTensor,
    /// A row per type of token.
    pub types: HostTensor,
    /// Of the sum of the three.
    pub norm: Norm,
    /// The layers, first to last.
    pub layers: Vec<Layer>,
}

impl Weights {
    /// The weights of a checkpoint with the names of Hugging Face's `BertModel`.
    pub fn read(config: &Config, checkpoint: &Checkpoint) -> ttl::Result<Weights> {
        // A model with a head on top has the encoder one level down.
        let prefix = if checkpoint.contains("bert.embeddings.word_embeddings.weight") { "bert." } else { "" };
        Weights::made(config, &mut |name, kind, shape| {
            let name = format!("{prefix}{name}");
            let tensor = checkpoint.get(&name, "the encoder")?;
            let there: &[usize] = match kind {
                Kind::Row => &shape[1..],
                Kind::Table => &shape,
                Kind::Weight => &[shape[1], shape[0]],
            };
            if tensor.shape() != there {
                return Err(Error::Other(format!(
                    "{name} has shape {:?}, the sizes in config.json need {there:?}",
                    tensor.shape()
                )));
            }
            match kind {
                Kind::Row | Kind::Table => Ok(tensor.reshape(shape)?),
                Kind::Weight => transposed(&tensor),
            }
        })
    }

    /// Made-up weights, of a size that every part of the network matters.
    pub fn random(config: &Config, seed: u64) -> ttl::Result<Weights> {
        let mut seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Weights::made(config, &mut |name, kind, shape| {
            seed = seed.wrapping_add(1);
            let values = HostTensor::normal(shape, seed)?.to_f32_vec();
            let (mean, width) = match kind {
                Kind::Weight => (0.0, (shape[0] as f32).sqrt().recip()),
                Kind::Table => (0.0, 1.0),
                Kind::Row if name.ends_with("LayerNorm.weight") => (1.0, 0.2),
                Kind::Row => (0.0, 0.2),
            };
            Ok(HostTensor::from_fn(shape, |i| mean + width * values[i])?)
        })
    }

    fn made(config: &Config, get: &mut Get<'_>) -> ttl::Result<Weights> {
        let (hidden, wide) = (config.hidden, config.intermediate);
        let embedding = |name: &str| format!("embeddings.{name}");
        Ok(Weights {
            words: get(&embedding("word_embeddings.weight"), Kind::Table, [config.vocab, hidden])?,
            positions: get(&embedding("position_embeddings.weight"), Kind::Table, [config.positions, hidden])?,
            types: get(&embedding("token_type_embeddings.weight"), Kind::Table, [config.types, hidden])?,
            norm: norm(get, "embeddings", hidden)?,
            layers: (0..config.layers)
                .map(|layer| {
                    let at = |part: &str| format!("encoder.layer.{layer}.{part}");
                    Ok(Layer {
                        query: linear(get, &at("attention.self.query"), hidden, hidden)?,
                        key: linear(get, &at("attention.self.key"), hidden, hidden)?,
                        value: linear(get, &at("attention.self.value"), hidden, hidden)?,
                        out: linear(get, &at("attention.output.dense"), hidden, hidden)?,
                        attention_norm: norm(get, &at("attention.output"), hidden)?,
                        up: linear(get, &at("intermediate.dense"), hidden, wide)?,
                        down: linear(get, &at("output.dense"), wide, hidden)?,
                        output_norm: norm(get, &at("output"), hidden)?,
                    })
                })
                .collect::<ttl::Result<_>>()?,
        })
    }
}

/// What a tensor is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One row; a checkpoint has it without the first dimension.
    Row,
    Table,
    /// Inputs x outputs; a checkpoint has it the other way round.
    Weight,
}

/// Makes the tensor of a name with the shape that we need.
type Get<'a> = dyn FnMut(&str, Kind, [usize; 2]) -> ttl::Result<HostTensor> + 'a;

fn linear(get: &mut Get<'_>, name: &str, inputs: usize, outputs: usize) -> ttl::Result<Linear> {
    Ok(Linear {
        weight: get(&format!("{name}.weight"), Kind::Weight, [inputs, outputs])?,
        bias: get(&format!("{name}.bias"), Kind::Row, [1, outputs])?,
    })
}

fn norm(get: &mut Get<'_>, name: &str, width: usize) -> ttl::Result<Norm> {
    Ok(Norm {
        gamma: get(&format!("{name}.LayerNorm.weight"), Kind::Row, [1, width])?,
        beta: get(&format!("{name}.LayerNorm.bias"), Kind::Row, [1, width])?,
    })
}

fn transposed(tensor: &HostTensor) -> ttl::Result<HostTensor> {
    let (rows, columns) = (tensor.shape()[0], tensor.shape()[1]);
    let values = tensor.to_f32_vec();
    Ok(HostTensor::from_fn([columns, rows], |i| values[i % rows * columns + i / rows])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn small() -> Config {
        Config { vocab: 7, hidden: 64, layers: 1, heads: 2, intermediate: 96, positions: 5, types: 2, eps: 1e-12 }
    }

    /// A checkpoint in which element (i, j) of a tensor is 1000 i + j.
    fn checkpoint(prefix: &str, without: &str) -> Checkpoint {
        let mut tensors = BTreeMap::new();
        let mut collect = |name: &str, kind, shape: [usize; 2]| {
            let there = match kind {
                Kind::Row => vec![shape[1]],
                Kind::Table => shape.to_vec(),
                Kind::Weight => vec![shape[1], shape[0]],
            };
            let columns = *there.last().expect("a dimension");
            let tensor = HostTensor::from_fn(there, |i| (i / columns * 1000 + i % columns) as f32)?;
            if name != without {
                tensors.insert(format!("{prefix}{name}"), tensor.clone());
            }
            HostTensor::from_fn(shape, |_| 0.0).map_err(Error::from)
        };
        Weights::made(&small(), &mut collect).expect("names");
        Checkpoint::from_tensors(tensors)
    }

    #[test]
    fn weights_are_transposed_and_the_rest_is_not() {
        for prefix in ["", "bert."] {
            let weights = Weights::read(&small(), &checkpoint(prefix, "")).expect("weights");
            let up = &weights.layers[0].up;
            assert_eq!(up.weight.shape(), [64, 96]);
            // Row 3, column 95 of what is the transpose.
            assert_eq!(up.weight.get(3 * 96 + 95), Some(95_003.0));
            assert_eq!((up.bias.shape(), up.bias.get(95)), (&[1, 96][..], Some(95.0)));
            assert_eq!(weights.words.get(6 * 64 + 2), Some(6002.0));
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let lacks = checkpoint("", "encoder.layer.0.output.LayerNorm.bias");
        let error = Weights::read(&small(), &lacks).expect_err("a tensor is missing").to_string();
        assert!(error.contains("no tensor encoder.layer.0.output.LayerNorm.bias"), "{error}");
        let wide = Config { intermediate: 128, ..small() };
        let error = Weights::read(&wide, &checkpoint("", "")).expect_err("another width").to_string();
        assert!(
            error.contains("intermediate.dense.weight has shape [96, 64], the sizes in config.json need [128, 64]"),
            "{error}"
        );
    }
}
