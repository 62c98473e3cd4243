//! The bytes of the arena: weights of a plan in the order of a layout, and back.

use std::borrow::Cow;

use ttl::prelude::{DataFormat, HostTensor};

use super::arena::{ArenaLayout, ArenaOp, ArenaPart};
use super::consts::{HEAD_DIM, HEAD_DIM_PAD, TILE};
use super::error::{MegakernelError, Result};
use super::matrix::Matrix;
use super::op::{Op, TailOp};
use super::plan::{Plan, names};
use super::tables::Tables;

/// What [`ArenaLayout::pack`] makes: the bytes of every bank, and the tables.
#[derive(Clone, PartialEq, Debug)]
pub struct ArenaPack {
    layout: ArenaLayout,
    stream: Vec<Vec<u8>>,
    small: Vec<Vec<u8>>,
    /// What is not in the arena: biases, scales, shifts, masks.
    pub tables: Tables,
}

/// The scale of attention, folded into the weights and biases of the queries before they are rounded.
pub fn attention_scale() -> f32 {
    1.0 / (HEAD_DIM as f32).sqrt()
}

/// Columns of heads of 48 to columns of heads of 64, zeros between; `scale` multiplies them.
pub fn pad_head_columns(matrix: &Matrix, scale: f32) -> Matrix {
    let (from, to) = (HEAD_DIM as usize, HEAD_DIM_PAD as usize);
    let mut out = Matrix::zeros(matrix.rows, matrix.cols / from * to);
    for r in 0..matrix.rows {
        for (head, values) in matrix.row(r).chunks_exact(from).enumerate() {
            let row = &mut out.row_mut(r)[head * to..head * to + from];
            row.iter_mut().zip(values).for_each(|(out, value)| *out = value * scale);
        }
    }
    out
}

/// Rows of heads of 48 to rows of heads of 64.
pub fn pad_head_rows(matrix: &Matrix) -> Matrix {
    let (from, to) = (HEAD_DIM as usize, HEAD_DIM_PAD as usize);
    let mut out = Matrix::zeros(matrix.rows / from * to, matrix.cols);
    for r in 0..matrix.rows {
        out.row_mut(r / from * to + r % from).copy_from_slice(matrix.row(r));
    }
    out
}

/// Matrices side by side.
pub fn beside(parts: &[Matrix]) -> Matrix {
    let mut out = Matrix::zeros(parts[0].rows, parts.iter().map(|p| p.cols).sum());
    let mut at = 0;
    for part in parts {
        out.place(0, at, part);
        at += part.cols;
    }
    out
}

/// The padded, scaled weights of an operation of a block, rounded to bf16.
pub(super) fn block_weights(layout: &ArenaLayout, plan: &Plan, blk: u32, op: Op) -> Result<HostTensor> {
    let get = |what: &str| plan.get(&names::block(blk, what));
    let matrix = match op {
        Op::Qkv => {
            let mut parts = vec![pad_head_columns(&Matrix::from_host(&*get("Wq")?)?, attention_scale())];
            if !layout.is_cross(blk) {
                for what in ["Wk", "Wv"] {
                    parts.push(pad_head_columns(&Matrix::from_host(&*get(what)?)?, 1.0));
                }
            }
            beside(&parts)
        }
        Op::Wo => pad_head_rows(&Matrix::from_host(&*get("Wo")?)?),
        Op::Ff1 => return Ok(get("W1")?.into_owned()),
        Op::Ff2 => return Ok(get("W2")?.into_owned()),
    };
    matrix.to_bf16()
}

/// The bias of an operation of a block, in the columns of its result.
pub(super) fn block_bias(layout: &ArenaLayout, plan: &Plan, blk: u32, op: Op) -> Result<Matrix> {
    let get = |what: &str| Matrix::from_host(&*plan.get(&names::block(blk, what))?);
    let bias = match op {
        Op::Qkv => {
            let mut parts = vec![pad_head_columns(&get("bq")?, attention_scale())];
            if !layout.is_cross(blk) {
                parts.push(pad_head_columns(&get("bk")?, 1.0));
                parts.push(pad_head_columns(&get("bv")?, 1.0));
            }
            beside(&parts)
        }
        Op::Wo => get("bo")?,
        Op::Ff1 => get("b1")?,
        Op::Ff2 => get("b2")?,
    };
    Ok(bias.rounded())
}

/// The weights of a tail operation, padded to whole tiles.
pub(super) fn tail_weights<'a>(layout: &ArenaLayout, plan: &'a Plan, op: TailOp) -> Result<Cow<'a, HostTensor>> {
    let tensor = plan.get(op.name())?;
    let arena = layout.tail_op(op);
    let padded = [arena.k_tiles, arena.n_tiles].map(|n| (n * TILE) as usize);
    Ok(if tensor.shape() == padded { tensor } else { Cow::Owned(tensor.padded_to_tiles(0.0)?) })
}

impl ArenaLayout {
    /// Puts the weights of a plan into the order of the banks, and makes the tables.
    pub fn pack(&self, plan: &Plan) -> Result<ArenaPack> {
        let bank = |part| vec![0; self.bytes_per_bank(part) as usize];
        let banks = self.cfg().banks as usize;
        let mut stream = vec![bank(ArenaPart::Stream); banks];
        let mut small = vec![bank(ArenaPart::Small); banks];
        for blk in 0..self.cfg().n_blocks {
            for op in Op::OPS {
                let weights = block_weights(self, plan, blk, op)?;
                shuffle(self.op(blk, op)?, &weights, self.dtype_stream().format(), &mut stream)?;
            }
        }
        for op in TailOp::OPS {
            let weights = tail_weights(self, plan, op)?;
            shuffle(self.tail_op(op), &weights, DataFormat::Bf16, &mut small)?;
        }
        let tables = Tables::of(self, plan)?;
        Ok(ArenaPack { layout: self.clone(), stream, small, tables })
    }

    /// The weights of an operation of a block, as they stand in a pack: padded, scaled, rounded.
    pub fn unpack(&self, pack: &ArenaPack, blk: u32, op: Op) -> Result<Matrix> {
        self.check_pack(pack)?;
        unshuffle(self.op(blk, op)?, self.dtype_stream().format(), &pack.stream)
    }

    /// The weights of a tail operation.
    pub fn unpack_tail(&self, pack: &ArenaPack, op: TailOp) -> Result<Matrix> {
        self.check_pack(pack)?;
        unshuffle(self.tail_op(op), DataFormat::Bf16, &pack.small)
    }

    /// Refuses a pack of another layout.
    pub fn check_pack(&self, pack: &ArenaPack) -> Result<()> {
        let other = &pack.layout;
        let foreign = |what: String| Err(MegakernelError::ForeignPack { what });
        if other.cfg() != self.cfg() {
            let text = |l: &ArenaLayout| {
                format!("{} with {} blocks and {} banks", l.cfg().version, l.cfg().n_blocks, l.cfg().banks)
            };
            return foreign(format!("it is for {}, the layout for {}", text(other), text(self)));
        }
        if other.options() != self.options() {
            return foreign(format!("it was planned with {:?}, the layout with {:?}", other.options(), self.options()));
        }
        for (part, banks) in [(ArenaPart::Stream, &pack.stream), (ArenaPart::Small, &pack.small)] {
            let expected = self.bytes_per_bank(part);
            for (bank, bytes) in (0..).zip(banks) {
                let got = bytes.len() as u64;
                if got != expected {
                    return Err(MegakernelError::PackBytes { stream: part.name(), bank, got, expected });
                }
            }
        }
        pack.tables.check(self)
    }
}

impl ArenaPack {
    /// What it was packed for.
    pub const fn layout(&self) -> &ArenaLayout {
        &self.layout
    }

    /// The bytes of a bank.
    pub fn bank(&self, part: ArenaPart, bank: u32) -> &[u8] {
        &self.banks(part)[bank as usize]
    }

    /// The same, to be changed.
    pub fn bank_mut(&mut self, part: ArenaPart, bank: u32) -> &mut Vec<u8> {
        match part {
            ArenaPart::Stream => &mut self.stream[bank as usize],
            ArenaPart::Small => &mut self.small[bank as usize],
        }
    }

    fn banks(&self, part: ArenaPart) -> &[Vec<u8>] {
        match part {
            ArenaPart::Stream => &self.stream,
            ArenaPart::Small => &self.small,
        }
    }

    /// A part as a tensor of one row of tiles, [32, 32 * tiles]: width-sharded over the banks, every shard is a bank.
    pub fn tensor(&self, part: ArenaPart) -> Result<HostTensor> {
        let tiles = self.layout.tiles_per_bank(part) as usize * self.banks(part).len();
        let format = match part {
            ArenaPart::Stream => self.layout.dtype_stream().format(),
            ArenaPart::Small => DataFormat::Bf16,
        };
        Ok(HostTensor::from_tiles([TILE as usize, TILE as usize * tiles], format, &self.banks(part).concat())?)
    }
}

/// Rounds a matrix to tiles of a format and puts each where the layout says.
fn shuffle(op: &ArenaOp, weights: &HostTensor, format: DataFormat, banks: &mut [Vec<u8>]) -> Result<()> {
    let expected = [op.k_tiles, op.n_tiles].map(|n| (n * TILE) as usize);
    if weights.shape() != expected {
        let (name, got) = (op.name.to_owned(), weights.shape().to_vec());
        return Err(MegakernelError::PlanShape { name, expected: expected.to_vec(), got });
    }
    let tiles = weights.to_tiles(format)?;
    let size = op.tile_bytes as usize;
    for (bank, bytes) in (0..).zip(banks) {
        let to = bytes[op.byte_offset as usize..].chunks_exact_mut(size);
        for ((k, n), to) in op.bank_tiles(bank)?.into_iter().zip(to) {
            let from = (k * op.n_tiles + n) as usize * size;
            to.copy_from_slice(&tiles[from..from + size]);
        }
    }
    Ok(())
}

/// The inverse.
fn unshuffle(op: &ArenaOp, format: DataFormat, banks: &[Vec<u8>]) -> Result<Matrix> {
    let size = op.tile_bytes as usize;
    let mut tiles = vec![0; (op.k_tiles * op.n_tiles) as usize * size];
    for (bank, bytes) in (0..).zip(banks) {
        let from = bytes[op.byte_offset as usize..].chunks_exact(size);
        for ((k, n), from) in op.bank_tiles(bank)?.into_iter().zip(from) {
            let to = (k * op.n_tiles + n) as usize * size;
            tiles[to..to + size].copy_from_slice(from);
        }
    }
    let shape = [op.k_tiles, op.n_tiles].map(|n| (n * TILE) as usize);
    Matrix::from_host(&HostTensor::from_tiles(shape, format, &tiles)?)
}
