//! A block with everything in it: layer norms, attention, residuals, with the rounding points of the device program.

use super::super::arena::ArenaLayout;
use super::super::bindings::Masks;
use super::super::consts::{BLOCK_EPS, HEAD_DIM_PAD, KEY_CHUNK};
use super::super::error::{MegakernelError, Result};
use super::super::matrix::{Matrix, round_bf16};
use super::super::op::Op;
use super::super::pack::ArenaPack;
use super::{linear, op_weight_and_bias, ref_single_op};
use std::collections::BTreeMap;
use std::ops::Range;
use ttl::prelude::HostTensor;

/// What comes with a call: keys and values of the cross blocks, [1, heads, l_pad, 64] each, and the masks of their key sets.
#[derive(Clone, Debug, Default)]
pub struct CallInputs {
    /// By block.
    pub kv: BTreeMap<u32, [HostTensor; 2]>,
    /// By key set.
    pub masks: Masks<HostTensor>,
}

/// Everything that a block computes, in its order.
#[derive(Clone, PartialEq, Debug)]
pub struct BlockTrace {
    /// The first layer norm.
    pub h: Matrix,
    /// Queries.
    pub q: Matrix,
    /// Attention of all heads side by side.
    pub a: Matrix,
    /// The output of Wo.
    pub o: Matrix,
    /// x after the first residual.
    pub x_mid: Matrix,
    /// The second layer norm.
    pub h2: Matrix,
    /// The output of ff1, with GELU.
    pub f: Matrix,
    /// The output of ff2.
    pub g: Matrix,
    /// The result, and the input of the next block.
    pub x: Matrix,
}

/// Layer norm of every row without gain: sums in f32, the variance of the population. Not rounded.
pub fn layer_norm(x: &Matrix, eps: f32) -> Matrix {
    let mut out = x.clone();
    for row in out.data.chunks_exact_mut(x.cols) {
        let n = row.len() as f32;
        let mean = row.iter().sum::<f32>() / n;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / n;
        let factor = 1.0 / (variance + eps).sqrt();
        row.iter_mut().for_each(|v| *v = (*v - mean) * factor);
    }
    out
}

/// `r(LN(x) * (1 + scale) + shift)`.
pub fn adaptive_norm(x: &Matrix, eps: f32, scale: &[f32], shift: &[f32]) -> Matrix {
    let mut out = layer_norm(x, eps);
    for row in out.data.chunks_exact_mut(x.cols) {
        for ((v, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
            *v = round_bf16(*v * (1.0 + scale) + shift);
        }
    }
    out
}

/// `r(a + b)`.
pub(super) fn residual(a: &Matrix, b: &Matrix) -> Matrix {
    a.clone().plus(b).rounded()
}

/// Scale and shift of a block, or of the output head behind the last one, as the table has them.
pub(super) fn scale_and_shift(layout: &ArenaLayout, pack: &ArenaPack, step: u32, blk: u32) -> Result<[Vec<f32>; 2]> {
    layout.cfg().check_step(step)?;
    let rows = Matrix::from_host(&pack.tables.adaln_rows)?;
    let at = (step * layout.adaln_rows_per_step() + 2 * blk) as usize;
    Ok([rows.row(at).to_vec(), rows.row(at + 1).to_vec()])
}

/// A part of the keys: un-normalised output, maximum and sum of every row, all f32.
struct Partial {
    out: Matrix,
    max: Vec<f32>,
    sum: Vec<f32>,
}

/// One head over some chunks of 64 keys, with a running maximum.
fn attend_chunks(q: &Matrix, k: &Matrix, v: &Matrix, mask: &Matrix, chunks: Range<usize>) -> Partial {
    let wide = KEY_CHUNK as usize;
    let mut part =
        Partial { out: Matrix::zeros(q.rows, v.cols), max: vec![f32::NEG_INFINITY; q.rows], sum: vec![0.0; q.rows] };
    for chunk in chunks {
        let keys = chunk * wide..((chunk + 1) * wide).min(k.rows);
        let scores = q.times(&k.part(keys.clone(), 0..k.cols).transposed());
        for r in 0..q.rows {
            let scores: Vec<f32> =
                scores.row(r).iter().zip(&mask.row(r)[keys.clone()]).map(|(s, mask)| s + mask).collect();
            let max = scores.iter().copied().fold(part.max[r], f32::max);
            let rescale = (part.max[r] - max).exp();
            part.max[r] = max;
            part.sum[r] *= rescale;
            part.out.row_mut(r).iter_mut().for_each(|v| *v *= rescale);
            for (score, key) in scores.iter().zip(keys.clone()) {
                let p = round_bf16((score - max).exp());
                part.sum[r] += p;
                part.out.row_mut(r).iter_mut().zip(v.row(key)).for_each(|(out, v)| *out += p * v);
            }
        }
    }
    part
}

/// One head: keys in `parts` parts, merged in their order, divided, rounded.
fn attend(q: &Matrix, k: &Matrix, v: &Matrix, mask: &Matrix, parts: usize) -> Matrix {
    let chunks = k.rows.div_ceil(KEY_CHUNK as usize);
    let part = |p: usize| attend_chunks(q, k, v, mask, p * chunks / parts..(p + 1) * chunks / parts);
    let mut all = part(0);
    for p in 1..parts {
        let other = part(p);
        for r in 0..q.rows {
            let max = all.max[r].max(other.max[r]);
            let (ours, theirs) = ((all.max[r] - max).exp(), (other.max[r] - max).exp());
            all.max[r] = max;
            all.sum[r] = all.sum[r] * ours + other.sum[r] * theirs;
            all.out.row_mut(r).iter_mut().zip(other.out.row(r)).for_each(|(a, b)| *a = *a * ours + b * theirs);
        }
    }
    for r in 0..q.rows {
        let sum = all.sum[r];
        all.out.row_mut(r).iter_mut().for_each(|v| *v = round_bf16(*v / sum));
    }
    all.out
}

/// Keys, values and mask of a block. Of a self block they are columns of its own product.
fn keys(
    layout: &ArenaLayout,
    pack: &ArenaPack,
    inputs: &CallInputs,
    blk: u32,
    qkv: &Matrix,
) -> Result<(Vec<[Matrix; 2]>, Matrix)> {
    let (heads, wide) = (layout.cfg().n_heads() as usize, HEAD_DIM_PAD as usize);
    let Some(set) = layout.cfg().key_set(blk) else {
        let inner = layout.cfg().inner() as usize;
        let of = |at: usize, h: usize| qkv.part(0..qkv.rows, at * inner + h * wide..at * inner + (h + 1) * wide);
        let kv = (0..heads).map(|h| [of(1, h), of(2, h)]).collect();
        let mask = Matrix::from_host(inputs.masks.own.as_ref().unwrap_or(&pack.tables.self_mask))?;
        return Ok((kv, mask));
    };
    let [k, v] = inputs.kv.get(&blk).ok_or(MegakernelError::KvLacks { blk })?;
    let expected = layout.kv_shape(blk).unwrap_or_default();
    for (which, tensor) in [("K", k), ("V", v)] {
        if tensor.shape() != expected {
            let (expected, got) = (expected.to_vec(), tensor.shape().to_vec());
            return Err(MegakernelError::KvShape { blk, which, expected, got });
        }
    }
    let rows = expected[2];
    let (k, v) = (k.to_f32_vec(), v.to_f32_vec());
    let head = |values: &[f32], h: usize| {
        let data = values[h * rows * wide..(h + 1) * rows * wide].to_vec();
        Matrix { rows, cols: wide, data }
    };
    let kv = (0..heads).map(|h| [head(&k, h), head(&v, h)]).collect();
    let mask = inputs.masks.get(set).ok_or(MegakernelError::MaskMissing { set: set.name() })?;
    Ok((kv, Matrix::from_host(mask)?))
}

/// One block of one step. `x` is [64, width], bf16.
pub fn trace_block(
    layout: &ArenaLayout,
    pack: &ArenaPack,
    inputs: &CallInputs,
    x: &Matrix,
    blk: u32,
    step: u32,
) -> Result<BlockTrace> {
    layout.cfg().check_blocks(blk, 1)?;
    let [scale, shift] = scale_and_shift(layout, pack, step, blk)?;
    let h = adaptive_norm(x, BLOCK_EPS, &scale, &shift);
    let qkv = ref_single_op(layout, pack, &h, blk, Op::Qkv)?;
    let (heads, wide) = (layout.cfg().n_heads() as usize, HEAD_DIM_PAD as usize);
    let q = qkv.part(0..qkv.rows, 0..heads * wide);
    let (kv, mask) = keys(layout, pack, inputs, blk, &qkv)?;
    let parts = if layout.is_split_block(blk) { 3 } else { 1 };
    let mut a = Matrix::zeros(q.rows, q.cols);
    for (head, [k, v]) in kv.iter().enumerate() {
        let columns = head * wide..(head + 1) * wide;
        a.place(0, columns.start, &attend(&q.part(0..q.rows, columns), k, v, &mask, parts));
    }
    let o = ref_single_op(layout, pack, &a, blk, Op::Wo)?;
    let x_mid = residual(x, &o);
    let h2 = layer_norm(&x_mid, BLOCK_EPS).rounded();
    let f = ref_single_op(layout, pack, &h2, blk, Op::Ff1)?;
    let (weights, bias) = op_weight_and_bias(layout, pack, blk, Op::Ff2)?;
    let g = linear(&f, &weights, &bias).rounded();
    let x = residual(&x_mid, &g);
    Ok(BlockTrace { h, q, a, o, x_mid, h2, f, g, x })
}

/// Blocks `blk..blk + n_blk` of a step: the trace of the last.
pub fn ref_block(
    layout: &ArenaLayout,
    pack: &ArenaPack,
    inputs: &CallInputs,
    x: &Matrix,
    (blk, n_blk): (u32, u32),
    step: u32,
) -> Result<BlockTrace> {
    layout.cfg().check_blocks(blk, n_blk)?;
    let expected = vec![layout.cfg().m_pad() as usize, layout.cfg().width() as usize];
    if [x.rows, x.cols] != expected[..] {
        return Err(MegakernelError::Shape { what: "x".to_owned(), expected, got: vec![x.rows, x.cols] });
    }
    let mut trace = trace_block(layout, pack, inputs, &x.clone().rounded(), blk, step)?;
    for blk in blk + 1..blk + n_blk {
        trace = trace_block(layout, pack, inputs, &trace.x, blk, step)?;
    }
    Ok(trace)
}
