//! Reductions of the matrix unit over the rows, the columns or all of a tile.
//!
//! A sum over rows is the matrix product of the tile with the scaler, which is transposed within its faces: its row 0 is the column
//! that counts. A sum over columns multiplies row 0 of the scaler's faces with the faces of the tile (`GAPOOL`), a maximum compares
//! instead (`GMPOOL`). The reduction of a whole tile does that for all faces into a scratch row of the register, turns that row into a
//! column by way of the source registers, which cut it, and reduces it once more.
//!
//! The rows and columns beside the result hold what happened to be in the source registers. The packer does not write them while the
//! reduction is set up; here they are zero.

use super::matmul::pool;
use super::{MathConfig, MatmulIn0, MatmulIn1, Numerics, Tile};
use crate::ops::{Pool, ReduceDim};
use crate::tensor::format::DataFormat;

/// Formats of the operands of a reduction.
#[derive(Clone, Copy, Debug)]
pub struct ReduceFormats {
    pub data: DataFormat,
    pub scaler: DataFormat,
}

/// What a reduction finds in its register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Before {
    /// Nothing was written since the registers were acquired: the register is zero, but lower than anything for a maximum.
    pub fresh: bool,
    /// The scratch row of reductions to a scalar is as fresh.
    pub scratch_fresh: bool,
}

/// The scratch row of a reduction to a scalar, in elements.
const SCRATCH: usize = 4 * 16;

/// What never-written rows are to a maximum.
const LOWEST: u32 = 0xFFFF_FFFF;

/// Adds the reduction of an unpacked tile to the register, or takes the maximum with it.
pub fn reduce(
    cfg: &MathConfig,
    pool: Pool,
    dim: ReduceDim,
    formats: ReduceFormats,
    [data, scaler]: [&Tile; 2],
    before: Before,
    dst: &mut Tile,
) {
    let cfg = &MathConfig { numerics: Numerics::Exact, ..*cfg };
    match (pool, dim) {
        (Pool::Max, ReduceDim::Row) => max_rows(cfg, formats, data, before, dst),
        (Pool::Max, ReduceDim::Col) => {
            for face in 0..4 {
                let at = face % 2 * 256;
                max_columns(cfg, face_of(data, face), before.fresh && face < 2, line(dst, at));
                dst.0[at + 16..at + 64].fill(0.0);
            }
        }
        (Pool::Max, ReduceDim::Scalar) => {
            for face in 0..4 {
                let lowest = before.scratch_fresh && face == 0;
                max_columns(cfg, face_of(data, face), lowest, line(dst, SCRATCH));
            }
            let column = column_of_scratch(cfg, formats, dst);
            max_columns(cfg, &column, before.fresh, line(dst, 0));
            dst.0[16..64].fill(0.0);
        }
        (_, ReduceDim::Row) => sum_rows(cfg, data, scaler, dst),
        (_, ReduceDim::Col) => {
            for face in 0..4 {
                sum_columns(cfg, face_of(data, face), face_of(scaler, face), line(dst, face % 2 * 256));
            }
        }
        (_, ReduceDim::Scalar) => {
            if before.scratch_fresh {
                line(dst, SCRATCH).fill(0.0);
            }
            for face in 0..4 {
                sum_columns(cfg, face_of(data, face), face_of(scaler, face), line(dst, SCRATCH));
            }
            let column = column_of_scratch(cfg, formats, dst);
            sum_columns(cfg, &column, face_of(scaler, 3), line(dst, 0));
        }
    }
}

/// What the packer writes while the reduction is set up: the rest of the tile is zero.
pub fn mask(cfg: &MathConfig, dim: ReduceDim, tile: &mut Tile) {
    let _ = cfg;
    let (row, column) = match dim {
        ReduceDim::Row => (None, Some(0)),
        ReduceDim::Col => (Some(0), None),
        ReduceDim::Scalar => (Some(0), Some(0)),
    };
    for (at, v) in tile.0.iter_mut().enumerate() {
        let (face, r, c) = (at / 256, at / 16 % 16, at % 16);
        let kept = row.is_none_or(|row| r == row) && column.is_none_or(|column| c == column);
        let _ = face;
        if !kept {
            *v = 0.0;
        }
    }
}

fn face_of(tile: &Tile, face: usize) -> &[f32; 256] {
    match tile.0.as_chunks::<256>().0.get(face) {
        Some(face) => face,
        None => unreachable!("a tile has four faces"),
    }
}

fn line(tile: &mut Tile, at: usize) -> &mut [f32; 16] {
    match tile.0[at..].first_chunk_mut() {
        Some(line) => line,
        None => unreachable!("a row of a face lies in the tile"),
    }
}

/// A product with the transposed scaler, of which the tile register takes the left faces only.
fn sum_rows(cfg: &MathConfig, data: &Tile, scaler: &Tile, dst: &mut Tile) {
    let mut right = Tile::ZERO;
    for half in 0..2 {
        for k in 0..16 {
            for c in 0..16 {
                right.0[half * 512 + k * 16 + c] = scaler.0[half * 256 + c * 16 + k];
            }
        }
    }
    let (mut in0, mut in1) = (MatmulIn0::new(), MatmulIn1::new());
    in0.set(cfg, data);
    in1.set(cfg, &right, false);
    let kept: [[f32; 256]; 2] = [*face_of(dst, 1), *face_of(dst, 3)];
    super::matmul_step(cfg, &in0, &in1, dst);
    dst.0[256..512].copy_from_slice(&kept[0]);
    dst.0[768..].copy_from_slice(&kept[1]);
}

/// `out += scaler . face`, with the first row of the scaler's face, pass by pass.
fn sum_columns(cfg: &MathConfig, face: &[f32; 256], scaler: &[f32; 256], out: &mut [f32; 16]) {
    let mut row = [0.0; 16];
    row.copy_from_slice(&scaler[..16]);
    pool::add_product(cfg, &row, face, out);
}

/// The largest element of each column, and of what `out` holds unless that is lowest.
fn max_columns(cfg: &MathConfig, face: &[f32; 256], lowest: bool, out: &mut [f32; 16]) {
    let keep = if cfg.fp32_dest { 0xFFFF_E000 } else { 0xFFFF_0000 };
    for (c, out) in out.iter_mut().enumerate() {
        let mut max = if lowest { LOWEST } else { out.to_bits() } & keep;
        for row in face.chunks_exact(16) {
            let value = row[c].to_bits();
            let value = if value & 0x7F80_0000 == 0 { 0 } else { value };
            if order(value) > order(max) {
                max = value;
            }
        }
        *out = f32::from_bits(max);
    }
}

/// Sign and magnitude as an integer in the same order.
fn order(bits: u32) -> i32 {
    let bits = bits as i32;
    if bits < 0 { bits ^ 0x7FFF_FFFF } else { bits }
}

/// What is left of a value of the register in a source register.
fn cut(cfg: &MathConfig, formats: ReduceFormats, value: f32) -> f32 {
    let wide =
        cfg.fp32_dest && formats.data == DataFormat::F32 && (cfg.wormhole() || formats.scaler == DataFormat::F32);
    f32::from_bits(value.to_bits() & if wide { 0xFFFF_E000 } else { 0xFFFF_0000 })
}

/// The scratch row as column 0 of a face; the row is then as if never written.
fn column_of_scratch(cfg: &MathConfig, formats: ReduceFormats, dst: &mut Tile) -> [f32; 256] {
    let mut face = [0.0; 256];
    for (k, value) in line(dst, SCRATCH).iter_mut().enumerate() {
        face[k * 16] = cut(cfg, formats, *value);
        *value = 0.0;
    }
    face
}

/// The maxima of 16 rows end up in column 0, and in row 0, from where the next reduction goes on.
fn max_rows(cfg: &MathConfig, formats: ReduceFormats, data: &Tile, before: Before, dst: &mut Tile) {
    for half in 0..2 {
        let at = half * 512;
        for side in 0..2 {
            let face = face_of(data, half * 2 + side);
            let mut turned = [0.0; 256];
            for r in 0..16 {
                for c in 0..16 {
                    turned[c * 16 + r] = face[r * 16 + c];
                }
            }
            max_columns(cfg, &turned, before.fresh && side == 0, line(dst, at));
        }
        let mut maxima = Tile::ZERO;
        for r in 0..16 {
            let value = cut_for_rows(cfg, formats, dst.0[at + r]);
            maxima.0[r * 16] = value;
            maxima.0[r] = value;
        }
        let mut moved = Tile::ZERO;
        super::add_tiles(cfg, &Tile::ZERO, &maxima, false, &mut moved);
        dst.0[at..at + 256].copy_from_slice(&moved.0[..256]);
    }
}

/// The maxima pass through SrcB and an addition, which both take the format that SrcB is set to.
fn cut_for_rows(cfg: &MathConfig, formats: ReduceFormats, value: f32) -> f32 {
    let wide =
        cfg.fp32_dest && formats.scaler == DataFormat::F32 && (!cfg.wormhole() || formats.data == DataFormat::F32);
    f32::from_bits(value.to_bits() & if wide { 0xFFFF_E000 } else { 0xFFFF_0000 })
}
