//! Sentence embeddings by a BERT encoder such as all-MiniLM-L6-v2: every tensor operation a kernel on the chip.
//!
//! | | |
//! |---|---|
//! | `config` | sizes, from a `config.json` |
//! | `weights` | weights on the host, from a checkpoint or made up |
//! | `batch` | sentences of about one length, padded |
//! | `model` | weights on a device |
//! | `plan` | the programs for one shape of batches |
//! | `reference` | the same network in plain f32, to compare with |

pub mod batch;
pub mod config;
mod model;
pub mod plan;
pub mod reference;
pub mod weights;

pub use batch::{Batch, batches};
pub use config::Config;
pub use model::Model;
pub use weights::Weights;

/// The cosine of the angle between two vectors.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
