//! Row-major order on the host, face order on the device.
//!
//! The last two dimensions are cut into 32x32 tiles, padded with zeros; all other dimensions flatten outermost, and a 1-D tensor is one
//! row. Tiles follow each other row by row. A tile is four 16x16 faces (top left, top right, bottom left, bottom right), each row-major,
//! so 16 neighbours in a row stay neighbours: both directions move runs of at most 16 elements.

use super::error::TensorError;
use super::format::{FACE_DIM, TILE_DIM, TILE_ELEMENTS};

const TILE: usize = TILE_DIM as usize;
const FACE: usize = FACE_DIM as usize;

/// A shape as the tiles see it: `batch` matrices of `rows` x `cols` elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TileShape {
    /// Matrices: the product of all dimensions but the last two.
    pub batch: usize,
    /// Rows of a matrix, in elements.
    pub rows: usize,
    /// Columns of a matrix, in elements.
    pub cols: usize,
}

impl TileShape {
    /// Refuses shapes without dimensions, with a dimension of 0, or with more elements (padded) than 2^40.
    pub fn new(shape: &[usize]) -> Result<TileShape, TensorError> {
        let (rows, cols, outer) = match *shape {
            [] => return Err(TensorError::NoDimensions),
            [cols] => (1, cols, &[][..]),
            [ref outer @ .., rows, cols] => (rows, cols, outer),
        };
        if shape.contains(&0) {
            return Err(TensorError::Empty { shape: shape.to_vec() });
        }
        const MOST: usize = 1 << 40;
        let padded = |n: usize| n.checked_next_multiple_of(TILE);
        outer
            .iter()
            .try_fold(1usize, |product, &n| product.checked_mul(n))
            .filter(|&batch| {
                padded(rows)
                    .zip(padded(cols))
                    .and_then(|(r, c)| r.checked_mul(c)?.checked_mul(batch))
                    .is_some_and(|n| n <= MOST)
            })
            .map(|batch| TileShape { batch, rows, cols })
            .ok_or_else(|| TensorError::TooManyElements { shape: shape.to_vec() })
    }

    /// Elements without padding.
    pub const fn elements(&self) -> usize {
        self.batch * self.rows * self.cols
    }

    /// Rows of tiles of one matrix.
    pub const fn tile_rows(&self) -> usize {
        self.rows.div_ceil(TILE)
    }

    /// Columns of tiles.
    pub const fn tile_cols(&self) -> usize {
        self.cols.div_ceil(TILE)
    }

    /// Tiles of all matrices.
    pub const fn tiles(&self) -> usize {
        self.batch * self.tile_rows() * self.tile_cols()
    }

    /// Calls `f(row_major_index, tile_order_index, length)` for every run of neighbours, in tile order.
    #[inline(always)]
    fn for_each_run(&self, mut f: impl FnMut(usize, usize, usize)) {
        let mut tile_start = 0;
        for matrix in 0..self.batch {
            for row0 in (0..self.rows).step_by(TILE) {
                for col0 in (0..self.cols).step_by(TILE) {
                    for face in 0..4 {
                        let row = row0 + (face >> 1) * FACE;
                        let col = col0 + (face & 1) * FACE;
                        let length = self.cols.saturating_sub(col).min(FACE);
                        let rows = self.rows.saturating_sub(row).min(FACE);
                        if length == 0 {
                            continue;
                        }
                        for r in 0..rows {
                            f(
                                (matrix * self.rows + row + r) * self.cols + col,
                                tile_start + face * FACE * FACE + r * FACE,
                                length,
                            );
                        }
                    }
                    tile_start += TILE_ELEMENTS;
                }
            }
        }
    }

    /// Row-major elements to the bytes of tiles, `B` bytes an element. Padding becomes zero bytes.
    pub fn tilize<S: Copy, const B: usize>(&self, src: &[S], bytes_of: impl Fn(S) -> [u8; B]) -> Vec<u8> {
        debug_assert_eq!(src.len(), self.elements());
        let mut out = vec![0u8; self.tiles() * TILE_ELEMENTS * B];
        self.for_each_run(|from, to, length| {
            let run = &src[from..from + length];
            let dst = &mut out[to * B..(to + length) * B];
            // Whole runs have a known length, which lets the compiler use wide instructions.
            match <&[S; FACE]>::try_from(run) {
                Ok(run) => encode(run, dst, &bytes_of),
                Err(_) => encode(run, dst, &bytes_of),
            }
        });
        out
    }

    /// Row-major elements in the order of tiles, zeros in the padding.
    pub(super) fn in_tile_order<S: Copy + Default>(&self, src: &[S]) -> Vec<S> {
        let mut out = vec![S::default(); self.tiles() * TILE_ELEMENTS];
        self.for_each_run(|from, to, length| out[to..to + length].copy_from_slice(&src[from..from + length]));
        out
    }

    /// The bytes of tiles to row-major elements; what lies in the padding is ignored.
    pub fn untilize<D: Copy + Default, const B: usize>(&self, src: &[u8], value_of: impl Fn([u8; B]) -> D) -> Vec<D> {
        debug_assert_eq!(src.len(), self.tiles() * TILE_ELEMENTS * B);
        let mut out = vec![D::default(); self.elements()];
        self.for_each_run(|to, from, length| {
            let run = &src[from * B..(from + length) * B];
            let dst = &mut out[to..to + length];
            match <&mut [D; FACE]>::try_from(&mut *dst) {
                Ok(dst) => decode(run, dst, &value_of),
                Err(_) => decode(run, dst, &value_of),
            }
        });
        out
    }
}

#[inline(always)]
fn encode<S: Copy, const B: usize>(src: &[S], dst: &mut [u8], bytes_of: &impl Fn(S) -> [u8; B]) {
    for (dst, &value) in dst.chunks_exact_mut(B).zip(src) {
        dst.copy_from_slice(&bytes_of(value));
    }
}

#[inline(always)]
fn decode<D, const B: usize>(src: &[u8], dst: &mut [D], value_of: &impl Fn([u8; B]) -> D) {
    for (dst, bytes) in dst.iter_mut().zip(src.chunks_exact(B)) {
        let mut value = [0u8; B];
        value.copy_from_slice(bytes);
        *dst = value_of(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, element by element.
    fn index(shape: &TileShape, batch: usize, r: usize, c: usize) -> usize {
        let tile = (batch * shape.tile_rows() + r / 32) * shape.tile_cols() + c / 32;
        let (r, c) = (r % 32, c % 32);
        tile * 1024 + ((r / 16) * 2 + c / 16) * 256 + (r % 16) * 16 + c % 16
    }

    #[test]
    fn every_element_lies_where_the_definition_says() {
        for dims in [
            &[32usize, 32][..],
            &[1],
            &[5],
            &[100],
            &[1, 33],
            &[33, 1],
            &[17, 47],
            &[64, 96],
            &[2, 3, 40, 50],
            &[3, 16, 16],
            &[2, 1, 1],
        ] {
            let shape = TileShape::new(dims).unwrap();
            let src: Vec<u32> = (1..=shape.elements() as u32).collect();
            let bytes = shape.tilize(&src, u32::to_le_bytes);
            let mut expect = vec![0u32; shape.tiles() * 1024];
            for b in 0..shape.batch {
                for r in 0..shape.rows {
                    for c in 0..shape.cols {
                        expect[index(&shape, b, r, c)] = src[(b * shape.rows + r) * shape.cols + c];
                    }
                }
            }
            let got: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            assert_eq!(got, expect, "{dims:?}");
            assert_eq!(shape.untilize(&bytes, u32::from_le_bytes), src, "{dims:?}");
        }
    }

    #[test]
    fn shapes_without_elements_are_refused() {
        assert_eq!(TileShape::new(&[]), Err(TensorError::NoDimensions));
        assert_eq!(TileShape::new(&[2, 0, 3]), Err(TensorError::Empty { shape: vec![2, 0, 3] }));
        assert_eq!(TileShape::new(&[0]), Err(TensorError::Empty { shape: vec![0] }));
    }

    #[test]
    fn shapes_too_large_are_refused() {
        for shape in [vec![usize::MAX, 2], vec![usize::MAX], vec![1 << 30, 1 << 30, 1 << 30]] {
            assert_eq!(TileShape::new(&shape), Err(TensorError::TooManyElements { shape }));
        }
    }
}
