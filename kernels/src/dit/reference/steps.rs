//! A step with the output head, and the whole denoising loop.

use super::super::arena::ArenaLayout;
use super::super::bindings::{place_noise, place_state};
use super::super::consts::{EULER_DT, HEAD_EPS, TILE};
use super::super::error::Result;
use super::super::matrix::Matrix;
use super::super::op::TailOp;
use super::super::pack::ArenaPack;
use super::block::{CallInputs, adaptive_norm, ref_block, scale_and_shift};
use super::{linear, tail_weight_and_bias};
use ttl::prelude::HostTensor;

/// `z sigmoid(z)`.
pub fn swish(z: f32) -> f32 {
    z / (1.0 + (-z).exp())
}

/// The output of a step, and the residual stream behind the last block.
#[derive(Clone, PartialEq, Debug)]
pub struct StepOutput {
    /// The velocity.
    pub y: Matrix,
    /// The residual stream.
    pub x: Matrix,
}

/// All blocks of a step and the output head.
pub fn ref_step(
    layout: &ArenaLayout,
    pack: &ArenaPack,
    inputs: &CallInputs,
    x: &Matrix,
    step: u32,
) -> Result<StepOutput> {
    let n_blocks = layout.cfg().n_blocks;
    let x = ref_block(layout, pack, inputs, x, (0, n_blocks), step)?.x;
    let [scale, shift] = scale_and_shift(layout, pack, step, n_blocks)?;
    let z = adaptive_norm(&x, HEAD_EPS, &scale, &shift);
    let (weights, bias) = tail_weight_and_bias(layout, pack, TailOp::ProjOut2)?;
    Ok(StepOutput { y: linear(&z, &weights, &bias).rounded(), x })
}

/// The decoder: velocities [64, a_pad] of an output. The second product is a sum of parts, one per lead, in their order.
pub fn ref_decode(layout: &ArenaLayout, pack: &ArenaPack, y: &Matrix) -> Result<Matrix> {
    let (weights, bias) = tail_weight_and_bias(layout, pack, TailOp::DecW1)?;
    let d = linear(y, &weights, &bias).map(|v| v.max(0.0)).rounded();
    let (weights, bias) = tail_weight_and_bias(layout, pack, TailOp::DecW2)?;
    let deep = (layout.tail_op(TailOp::DecW2).k_tiles_per_core * TILE) as usize;
    let mut sum = Matrix::zeros(d.rows, weights.cols);
    for first in (0..weights.rows).step_by(deep) {
        let k = first..first + deep;
        sum = sum.plus(&d.part(0..d.rows, k.clone()).times(&weights.part(k, 0..weights.cols)));
    }
    Ok(sum.plus_row(&bias).rounded())
}

/// The encoder: the sequence [64, width] of a step from actions [64, a_pad] and the state features [1, width].
pub fn ref_encode(
    layout: &ArenaLayout,
    pack: &ArenaPack,
    actions: &Matrix,
    state: &Matrix,
    step: u32,
) -> Result<Matrix> {
    let cfg = layout.cfg();
    let (weights, bias) = tail_weight_and_bias(layout, pack, TailOp::EncW1)?;
    let a = linear(actions, &weights, &bias).rounded();
    let (weights, _) = tail_weight_and_bias(layout, pack, TailOp::EncW2a)?;
    let b2 = Matrix::from_host(&pack.tables.b2_step)?;
    let c = linear(&a, &weights, b2.row(step as usize)).map(swish).rounded();
    let (weights, _) = tail_weight_and_bias(layout, pack, TailOp::EncW3)?;
    let e = linear(&c, &weights, &vec![0.0; weights.cols]);
    // Rows that are not actions are replaced: state, future tokens, zeros.
    let mut rows = Matrix::from_host(&pack.tables.b3_pos_rows)?;
    rows.place(0, 0, state);
    if let Some(future) = &pack.tables.future_tokens {
        rows.place(1, 0, &Matrix::from_host(future)?);
    }
    for r in cfg.action_rows() {
        let e = e.row(r as usize);
        rows.row_mut(r as usize).iter_mut().zip(e).for_each(|(add, e)| *add += e);
    }
    Ok(rows.rounded())
}

/// The result of the loop, and the decoder's output of every step.
#[derive(Clone, PartialEq, Debug)]
pub struct Steps4 {
    /// [64, a_pad], f32; the actions are on their rows.
    pub action_pred: Matrix,
    /// The velocity of each step.
    pub velocity: Vec<Matrix>,
}

/// The whole loop from noise [1, H, A_max] and state features.
pub fn ref_steps4(
    layout: &ArenaLayout,
    pack: &ArenaPack,
    inputs: &CallInputs,
    noise: &HostTensor,
    state: &HostTensor,
) -> Result<Steps4> {
    let cfg = layout.cfg();
    let mut x_t = Matrix::from_host(&place_noise(cfg, noise)?)?;
    let state = Matrix::from_host(&place_state(cfg, state)?)?;
    let mut velocity = Vec::new();
    for step in 0..cfg.steps {
        let x = ref_encode(layout, pack, &x_t, &state, step)?;
        let y = ref_step(layout, pack, inputs, &x, step)?.y;
        let v = ref_decode(layout, pack, &y)?;
        for r in cfg.action_rows() {
            let v = v.row(r as usize);
            x_t.row_mut(r as usize).iter_mut().zip(v).for_each(|(x, v)| *x += EULER_DT * v);
        }
        velocity.push(v);
    }
    Ok(Steps4 { action_pred: x_t, velocity })
}
