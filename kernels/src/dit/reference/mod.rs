//! References on the host, from the packed bytes: what quantisation and folding did to the weights is in them.
//!
//! | file | holds |
//! |---|---|
//! | this one | one matrix product, and the chain of products of a block |
//! | `block` | a block with layer norms, attention and residuals |
//! | `steps` | a step with the output head, the whole loop |
//! | `model` | the published network without rounding or padding, from the plan |
//! | `compare` | correlation and relative error |
//!
//! Rounding: operands bf16, sums and biases and activations f32, results bf16.

mod block;
mod compare;
mod model;
mod steps;

pub use block::{BlockTrace, CallInputs, adaptive_norm, layer_norm, ref_block, trace_block};
pub use compare::{Agreement, chain_limit, pcc, relative_error};
pub use model::{Model, ModelInputs};
pub use steps::{StepOutput, Steps4, ref_decode, ref_encode, ref_step, ref_steps4, swish};

use super::arena::ArenaLayout;
use super::error::{MegakernelError, Result};
use super::matrix::Matrix;
use super::op::{Op, TailOp};
use super::pack::ArenaPack;

/// GELU, tanh form.
pub fn gelu_tanh(z: f32) -> f32 {
    let inner = (2.0 / std::f32::consts::PI).sqrt() * (z + 0.044_715 * z * z * z);
    0.5 * z * (1.0 + inner.tanh())
}

/// Weights [K, N] and bias `[N]` of an operation of a block, from the packed bytes.
pub fn op_weight_and_bias(layout: &ArenaLayout, pack: &ArenaPack, blk: u32, op: Op) -> Result<(Matrix, Vec<f32>)> {
    let weights = layout.unpack(pack, blk, op)?;
    let row = layout.bias_row(blk, op)? as usize;
    let bias = Matrix::from_host(&pack.tables.bias_rows)?.row(row)[..weights.cols].to_vec();
    Ok((weights, bias))
}

/// Weights of a tail operation and the row of bias_rows that is added somewhere to its result; zeros where it is none.
pub fn tail_weight_and_bias(layout: &ArenaLayout, pack: &ArenaPack, op: TailOp) -> Result<(Matrix, Vec<f32>)> {
    let weights = layout.unpack_tail(pack, op)?;
    let row = match op {
        TailOp::DecW2 => Some(layout.tail_bias_row_base() + super::op::DEC_W2_BIAS),
        _ => layout.tail_bias_row(op),
    };
    let bias = match row {
        Some(row) => Matrix::from_host(&pack.tables.bias_rows)?.row(row as usize)[..weights.cols].to_vec(),
        None => vec![0.0; weights.cols],
    };
    Ok((weights, bias))
}

/// `x W + b` of a bf16 `x`, in f32.
fn linear(x: &Matrix, weights: &Matrix, bias: &[f32]) -> Matrix {
    x.clone().rounded().times(weights).plus_row(bias)
}

/// One operation: `bf16(gelu?(bf16(x) W + b))`.
pub fn ref_single_op(layout: &ArenaLayout, pack: &ArenaPack, x: &Matrix, blk: u32, op: Op) -> Result<Matrix> {
    let (weights, bias) = op_weight_and_bias(layout, pack, blk, op)?;
    if x.cols != weights.rows {
        let (expected, got) = (vec![x.rows, weights.rows], vec![x.rows, x.cols]);
        return Err(MegakernelError::Shape { what: format!("the input of {}", op.name()), expected, got });
    }
    let y = linear(x, &weights, &bias);
    Ok(if op == Op::Ff1 { y.map(gelu_tanh) } else { y }.rounded())
}

/// What a block of the chain computes.
#[derive(Clone, PartialEq, Debug)]
pub struct Chain {
    /// Queries, before attention.
    pub q: Matrix,
    /// The output of Wo.
    pub o: Matrix,
    /// The output of ff1, with GELU.
    pub f: Matrix,
    /// The result, and the input of the next block.
    pub g: Matrix,
}

/// The products of some blocks with nothing between them: queries, Wo, ff1 with GELU, ff2. The last block's.
pub fn ref_chain(layout: &ArenaLayout, pack: &ArenaPack, x: &Matrix, blk: u32, n_blk: u32) -> Result<Chain> {
    layout.cfg().check_blocks(blk, n_blk)?;
    let block = |x: &Matrix, blk: u32| -> Result<Chain> {
        let inner = layout.cfg().inner() as usize;
        let qkv = ref_single_op(layout, pack, x, blk, Op::Qkv)?;
        let q = qkv.part(0..qkv.rows, 0..inner);
        let o = ref_single_op(layout, pack, &q, blk, Op::Wo)?;
        let f = ref_single_op(layout, pack, &o, blk, Op::Ff1)?;
        let g = ref_single_op(layout, pack, &f, blk, Op::Ff2)?;
        Ok(Chain { q, o, f, g })
    };
    let mut chain = block(x, blk)?;
    for blk in blk + 1..blk + n_blk {
        chain = block(&chain.g, blk)?;
    }
    Ok(chain)
}
