//! The tables beside the arena: biases, layer-norm scales and shifts, what the encoder adds, masks.

use ttl::prelude::{DataFormat, HostTensor};

use super::arena::ArenaLayout;
use super::config::{DitConfig, KeySet};
use super::consts::{HEAD_DIM, HEAD_DIM_PAD, MASKED};
use super::error::{MegakernelError, Result};
use super::matrix::Matrix;
use super::op::Op;
use super::pack::block_bias;
use super::plan::{Plan, names};

/// All tables, bf16.
#[derive(Clone, PartialEq, Debug)]
pub struct Tables {
    /// Four rows per block, then four of the tail; as wide as the widest result.
    pub bias_rows: HostTensor,
    /// Scale and shift of every block and of the output head, step after step.
    pub adaln_rows: HostTensor,
    /// `tau_k E2b + e2`, a row per step.
    pub b2_step: HostTensor,
    /// `e3 + pos` on the rows of the actions, 0 elsewhere; in tiles.
    pub b3_pos_rows: HostTensor,
    /// None where the network has no future tokens.
    pub future_tokens: Option<HostTensor>,
    /// [1, 1, 64, 64], in tiles.
    pub self_mask: HostTensor,
}

/// Columns of bias_rows.
pub const fn bias_table_width(cfg: &DitConfig) -> u32 {
    cfg.ff_dim()
}

impl Tables {
    pub(super) fn of(layout: &ArenaLayout, plan: &Plan) -> Result<Tables> {
        let cfg = layout.cfg();
        Ok(Tables {
            bias_rows: bias_rows(layout, plan)?,
            adaln_rows: adaln_rows(layout, plan)?,
            b2_step: rows_of(cfg, plan, names::b2_step)?,
            b3_pos_rows: b3_pos_rows(cfg, plan)?,
            future_tokens: match cfg.n_fut {
                0 => None,
                _ => Some(plan.get("future_tokens")?.into_owned()),
            },
            self_mask: self_mask(cfg)?,
        })
    }

    /// Shapes and formats, as the kernels of a layout read them.
    pub fn check(&self, layout: &ArenaLayout) -> Result<()> {
        let cfg = layout.cfg();
        let n = |value: u32| value as usize;
        let b3 = vec![n(cfg.m_pad()), n(cfg.width())];
        if self.b3_pos_rows.shape() != b3 {
            return Err(MegakernelError::B3PosShape { expected: b3, got: self.b3_pos_rows.shape().to_vec() });
        }
        let tables: [(&str, &HostTensor, Vec<usize>); 5] = [
            ("bias_rows", &self.bias_rows, vec![n(4 * cfg.n_blocks + 4), n(bias_table_width(cfg))]),
            ("adaln_rows", &self.adaln_rows, vec![n(cfg.steps * layout.adaln_rows_per_step()), n(cfg.width())]),
            ("b2_step", &self.b2_step, vec![n(cfg.steps), n(cfg.width())]),
            ("self_mask", &self.self_mask, vec![1, 1, n(cfg.m_pad()), n(cfg.m_pad())]),
            ("b3_pos_rows", &self.b3_pos_rows, b3),
        ];
        let future = self.future_tokens.iter().map(|t| ("future_tokens", t, vec![n(cfg.n_fut), n(cfg.width())]));
        for (what, table, expected) in tables.into_iter().chain(future) {
            check_tensor(what, table, &expected)?;
        }
        if self.future_tokens.is_some() != (cfg.n_fut > 0) {
            let got = self.future_tokens.iter().flat_map(|t| t.shape().to_vec()).collect();
            let expected = vec![n(cfg.n_fut), n(cfg.width())];
            return Err(MegakernelError::Shape { what: "future_tokens".to_owned(), expected, got });
        }
        Ok(())
    }
}

/// Refuses another shape, and elements that are not bf16.
fn check_tensor(what: &str, tensor: &HostTensor, expected: &[usize]) -> Result<()> {
    if tensor.shape() != expected {
        let (expected, got) = (expected.to_vec(), tensor.shape().to_vec());
        return Err(MegakernelError::Shape { what: what.to_owned(), expected, got });
    }
    if tensor.format() != DataFormat::Bf16 {
        let (expected, got) = (DataFormat::Bf16, tensor.format());
        return Err(MegakernelError::Dtype { what: what.to_owned(), expected, got });
    }
    Ok(())
}

fn bias_rows(layout: &ArenaLayout, plan: &Plan) -> Result<HostTensor> {
    let cfg = layout.cfg();
    let mut rows = Matrix::zeros(4 * cfg.n_blocks as usize + 4, bias_table_width(cfg) as usize);
    for blk in 0..cfg.n_blocks {
        for op in Op::OPS {
            rows.place(layout.bias_row(blk, op)? as usize, 0, &block_bias(layout, plan, blk, op)?);
        }
    }
    let base = layout.tail_bias_row_base() as usize;
    for (i, name) in ["proj_out_2", "dec_W1", "dec_W2", "enc_W1"].into_iter().enumerate() {
        rows.place(base + i, 0, &Matrix::from_host(&*plan.get(&format!("{name}.bias"))?)?);
    }
    rows.to_bf16()
}

fn adaln_rows(layout: &ArenaLayout, plan: &Plan) -> Result<HostTensor> {
    let cfg = layout.cfg();
    let per_step = layout.adaln_rows_per_step();
    let mut rows = Matrix::zeros((cfg.steps * per_step) as usize, cfg.width() as usize);
    for step in 0..cfg.steps {
        for blk in 0..=cfg.n_blocks {
            let at = (step * per_step + 2 * blk) as usize;
            rows.place(at, 0, &Matrix::from_host(&*plan.get(&names::scale(step, blk))?)?);
            rows.place(at + 1, 0, &Matrix::from_host(&*plan.get(&names::shift(step, blk))?)?);
        }
    }
    rows.to_bf16()
}

/// A vector per step, below each other.
fn rows_of(cfg: &DitConfig, plan: &Plan, name: impl Fn(u32) -> String) -> Result<HostTensor> {
    let mut rows = Matrix::zeros(cfg.steps as usize, cfg.width() as usize);
    for step in 0..cfg.steps {
        rows.place(step as usize, 0, &Matrix::from_host(&*plan.get(&name(step))?)?);
    }
    rows.to_bf16()
}

fn b3_pos_rows(cfg: &DitConfig, plan: &Plan) -> Result<HostTensor> {
    let pos = Matrix::from_host(&*plan.get("pos")?)?.plus_row(&plan.get("enc_W3.bias")?.to_f32_vec());
    let mut rows = Matrix::zeros(cfg.m_pad() as usize, cfg.width() as usize);
    rows.place(cfg.action_rows().start as usize, 0, &pos);
    rows.to_bf16()
}

/// The mask of the self blocks: rows from M on are never attended to.
pub fn self_mask(cfg: &DitConfig) -> Result<HostTensor> {
    key_mask(cfg, cfg.m(), cfg.m_pad())
}

/// A mask [1, 1, 64, l_pad] that hides the keys from `keys` on.
pub fn key_mask(cfg: &DitConfig, keys: u32, l_pad: u32) -> Result<HostTensor> {
    let shape = [1, 1, cfg.m_pad() as usize, l_pad as usize];
    let mask = HostTensor::from_fn(shape, |i| if (i % shape[3]) < keys as usize { 0.0 } else { MASKED })?;
    Ok(mask.to_format(DataFormat::Bf16))
}

/// A mask of the keys that are valid, one flag each; what is missing up to `l_pad` is hidden.
pub fn valid_mask(cfg: &DitConfig, valid: &[bool], l_pad: u32) -> Result<HostTensor> {
    let shape = [1, 1, cfg.m_pad() as usize, l_pad as usize];
    let mask = HostTensor::from_fn(shape, |i| if valid.get(i % shape[3]) == Some(&true) { 0.0 } else { MASKED })?;
    Ok(mask.to_format(DataFormat::Bf16))
}

impl ArenaLayout {
    /// The shape of the hoisted K and V of a cross block; none for others.
    pub fn kv_shape(&self, blk: u32) -> Option<[usize; 4]> {
        self.l_pad(blk).map(|l_pad| [1, self.cfg().n_heads() as usize, l_pad as usize, HEAD_DIM_PAD as usize])
    }

    /// The shape of the mask of a key set that the network uses.
    pub fn mask_shape(&self, set: KeySet) -> Option<[usize; 4]> {
        self.l_pad_of(set).map(|l_pad| [1, 1, self.cfg().m_pad() as usize, l_pad as usize])
    }

    /// Keys or values [keys, 48 * heads] of a cross block as the kernel reads them: [1, heads, l_pad, 64], heads padded, untransposed.
    pub fn place_kv(&self, blk: u32, which: &'static str, values: &Matrix) -> Result<HostTensor> {
        let Some([_, heads, l_pad, wide]) = self.kv_shape(blk) else {
            return Err(MegakernelError::KvExtra { blocks: vec![blk] });
        };
        let head = HEAD_DIM as usize;
        if values.cols != heads * head || values.rows > l_pad {
            let (expected, got) = (vec![l_pad, heads * head], vec![values.rows, values.cols]);
            return Err(MegakernelError::KvShape { blk, which, expected, got });
        }
        let at = |i: usize| {
            let (column, key, h) = (i % wide, i / wide % l_pad, i / wide / l_pad);
            if column < head && key < values.rows { values.at(key, h * head + column) } else { 0.0 }
        };
        Ok(HostTensor::from_fn([1, heads, l_pad, wide], at)?.to_format(DataFormat::Bf16))
    }
}
