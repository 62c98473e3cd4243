//! Operands that repeat a row, a column or an element of a tile, and transposed tiles.

use super::{MathConfig, Tile};
use crate::ops::Bcast;
use crate::tensor::format::DataFormat;

/// The tile that a broadcast makes of an unpacked one: row `row`, column 0, or element [0, 0] everywhere.
pub fn broadcast(dim: Bcast, row: usize, src: &Tile, out: &mut Tile) {
    match dim {
        Bcast::Scalar => out.0.fill(src.0[0]),
        Bcast::Row => {
            let from = row / 16 * 512 + row % 16 * 16;
            for (face, to) in out.0.chunks_exact_mut(256).enumerate() {
                let from = from + face % 2 * 256;
                for line in to.chunks_exact_mut(16) {
                    line.copy_from_slice(&src.0[from..from + 16]);
                }
            }
        }
        Bcast::Col => {
            for (face, to) in out.0.chunks_exact_mut(256).enumerate() {
                let from = face / 2 * 512;
                for (r, line) in to.chunks_exact_mut(16).enumerate() {
                    line.fill(src.0[from + r * 16]);
                }
            }
        }
    }
}

/// `unary_bcast`: the broadcast tile moved into the tile register.
pub fn unary_bcast(dim: Bcast, src: &Tile, dst: &mut Tile) {
    broadcast(dim, 0, src, dst);
    moved(dst);
}

/// What a move from a source register leaves: denormals and -0 become zero.
fn moved(dst: &mut Tile) {
    for v in &mut dst.0 {
        if v.to_bits() & 0x7F80_0000 == 0 {
            *v = 0.0;
        }
    }
}

/// Transposes a tile: the order of its faces, the elements within each face, or both.
pub fn transpose(faces: bool, within: bool, tile: &mut Tile) {
    if faces {
        let (left, right) = tile.0.split_at_mut(512);
        left[256..].swap_with_slice(&mut right[..256]);
    }
    if within {
        for face in tile.0.chunks_exact_mut(256) {
            for r in 0..16 {
                for c in 0..r {
                    face.swap(r * 16 + c, c * 16 + r);
                }
            }
        }
    }
}

/// `copy_tile` with the transpositions of its init.
pub fn copy_transposed(cfg: &MathConfig, format: DataFormat, l1: &[u8], faces: bool, within: bool, dst: &mut Tile) {
    super::copy_tile(cfg, format, l1, dst);
    transpose(faces, within, dst);
}

/// `transpose_tile` through SrcA: as a copy, but the move flushes denormals and -0.
pub fn transpose_tile(cfg: &MathConfig, format: DataFormat, l1: &[u8], faces: bool, within: bool, dst: &mut Tile) {
    super::copy_tile(cfg, format, l1, dst);
    moved(dst);
    transpose(faces, within, dst);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(row: usize, column: usize) -> usize {
        (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16
    }

    fn numbered() -> Tile {
        let mut tile = Tile::new();
        for r in 0..32 {
            for c in 0..32 {
                tile.0[at(r, c)] = (r * 32 + c) as f32;
            }
        }
        tile
    }

    #[test]
    fn broadcasts_repeat_a_row_a_column_or_an_element() {
        let (tile, mut out) = (numbered(), Tile::new());
        for row in [0, 5, 16, 31] {
            broadcast(Bcast::Row, row, &tile, &mut out);
            for (r, c) in [(0, 0), (7, 20), (31, 31), (20, 3)] {
                assert_eq!(out.0[at(r, c)], (row * 32 + c) as f32);
            }
        }
        broadcast(Bcast::Col, 0, &tile, &mut out);
        for (r, c) in [(0, 0), (7, 20), (31, 31), (20, 3)] {
            assert_eq!(out.0[at(r, c)], (r * 32) as f32);
        }
        broadcast(Bcast::Scalar, 0, &tile, &mut out);
        assert_eq!(out, Tile::new());
    }

    #[test]
    fn both_transpositions_together_transpose_the_tile() {
        let mut tile = numbered();
        transpose(true, true, &mut tile);
        for r in 0..32 {
            for c in 0..32 {
                assert_eq!(tile.0[at(r, c)], (c * 32 + r) as f32);
            }
        }
    }
}
