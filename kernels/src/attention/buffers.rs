//! What a compute kernel keeps in L1.

use ttl::prelude::*;

/// The buffers of a compute kernel: of `E` what the tensors are and the weights, of `T` what it keeps between its steps: f32 with 32-bit registers, else
/// bf16.
#[ttl::device]
#[derive(Debug)]
pub struct Buffers<E: Element, T: Element> {
    /// Queries.
    pub q: CbIn<E>,
    /// Keys.
    pub k: CbIn<E>,
    /// Values.
    pub v: CbIn<E>,
    /// The result.
    pub out: CbOut<E>,
    /// One tile of ones, for sums and as the scaler of maxima.
    pub ones_out: CbOut<bf16>,
    /// The other end.
    pub ones_in: CbIn<bf16>,
    /// The queries times the scale.
    pub scaled_out: CbOut<T>,
    /// The other end.
    pub scaled_in: CbIn<T>,
    /// The scores of a block.
    pub scores_out: CbOut<T>,
    /// The other end.
    pub scores_in: CbIn<T>,
    /// e^(score - maximum).
    pub weights_out: CbOut<E>,
    /// The other end.
    pub weights_in: CbIn<E>,
    /// The largest score of each query so far.
    pub max_out: CbOut<T>,
    /// The other end.
    pub max_in: CbIn<T>,
    /// e^(maximum before - maximum now).
    pub shrink_out: CbOut<T>,
    /// The other end.
    pub shrink_in: CbIn<T>,
    /// The sum of the weights of each query so far; in the end one divided by it.
    pub sum_out: CbOut<T>,
    /// The other end.
    pub sum_in: CbIn<T>,
    /// The sum of the weighted values so far.
    pub acc_out: CbOut<T>,
    /// The other end.
    pub acc_in: CbIn<T>,
}
