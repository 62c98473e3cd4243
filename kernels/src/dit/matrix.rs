//! Matrices of f32 on the host: what weights unpack to and references compute with.

use half::bf16;
use ttl::prelude::{DataFormat, HostTensor};

use super::error::{MegakernelError, Result};

/// Row-major.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// Elements, row by row.
    pub data: Vec<f32>,
}

/// Rounds to bf16, nearest even.
pub fn round_bf16(value: f32) -> f32 {
    bf16::from_f32(value).to_f32()
}

impl Matrix {
    /// Zeros.
    pub fn zeros(rows: usize, cols: usize) -> Matrix {
        Matrix { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// Elements from a function of row and column.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f32) -> Matrix {
        let data = (0..rows * cols).map(|i| f(i / cols, i % cols)).collect();
        Matrix { rows, cols, data }
    }

    /// A tensor whose leading dimensions are 1, or a vector as one row.
    pub fn from_host(tensor: &HostTensor) -> Result<Matrix> {
        let (rows, cols) = match *tensor.shape() {
            [cols] => (1, cols),
            [ref outer @ .., rows, cols] if outer.iter().all(|&n| n == 1) => (rows, cols),
            ref shape => {
                let expected = vec![0, 0];
                return Err(MegakernelError::Shape { what: "a matrix".to_owned(), expected, got: shape.to_vec() });
            }
        };
        Ok(Matrix { rows, cols, data: tensor.to_f32_vec() })
    }

    /// A bf16 tensor, rounded to nearest even.
    pub fn to_bf16(&self) -> Result<HostTensor> {
        Ok(self.to_host()?.to_format(DataFormat::Bf16))
    }

    /// As a tensor of f32.
    pub fn to_host(&self) -> Result<HostTensor> {
        Ok(HostTensor::from_vec([self.rows, self.cols], self.data.clone())?)
    }

    /// The elements of a row.
    pub fn row(&self, r: usize) -> &[f32] {
        &self.data[r * self.cols..(r + 1) * self.cols]
    }

    /// The same, to change them.
    pub fn row_mut(&mut self, r: usize) -> &mut [f32] {
        &mut self.data[r * self.cols..(r + 1) * self.cols]
    }

    /// An element.
    pub fn at(&self, r: usize, c: usize) -> f32 {
        self.data[r * self.cols + c]
    }

    /// With every element rounded to bf16.
    pub fn rounded(mut self) -> Matrix {
        self.data.iter_mut().for_each(|v| *v = round_bf16(*v));
        self
    }

    /// With a function applied to every element.
    pub fn map(mut self, f: impl Fn(f32) -> f32) -> Matrix {
        self.data.iter_mut().for_each(|v| *v = f(*v));
        self
    }

    /// A part of the rows and columns.
    pub fn part(&self, rows: std::ops::Range<usize>, cols: std::ops::Range<usize>) -> Matrix {
        let data = rows.clone().flat_map(|r| &self.row(r)[cols.clone()]).copied().collect();
        Matrix { rows: rows.len(), cols: cols.len(), data }
    }

    /// The first rows.
    pub fn top(&self, rows: usize) -> Matrix {
        self.part(0..rows, 0..self.cols)
    }

    /// Writes a matrix over a part of this one.
    pub fn place(&mut self, r: usize, c: usize, part: &Matrix) {
        for i in 0..part.rows {
            self.row_mut(r + i)[c..c + part.cols].copy_from_slice(part.row(i));
        }
    }

    /// Rows as columns.
    pub fn transposed(&self) -> Matrix {
        Matrix::from_fn(self.cols, self.rows, |r, c| self.at(c, r))
    }

    /// The product: every element a sum in f32, in the order of K.
    pub fn times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.cols, other.rows, "inner dimensions");
        let mut out = Matrix::zeros(self.rows, other.cols);
        for r in 0..self.rows {
            let sums = &mut out.data[r * other.cols..(r + 1) * other.cols];
            for (k, &a) in self.row(r).iter().enumerate() {
                for (sum, &b) in sums.iter_mut().zip(other.row(k)) {
                    *sum += a * b;
                }
            }
        }
        out
    }

    /// Adds a row to every row.
    pub fn plus_row(mut self, row: &[f32]) -> Matrix {
        for values in self.data.chunks_exact_mut(self.cols) {
            for (value, add) in values.iter_mut().zip(row) {
                *value += add;
            }
        }
        self
    }

    /// The element-wise sum, in f32.
    pub fn plus(mut self, other: &Matrix) -> Matrix {
        assert_eq!((self.rows, self.cols), (other.rows, other.cols), "shapes");
        self.data.iter_mut().zip(&other.data).for_each(|(a, b)| *a += b);
        self
    }

    /// Less another of the same shape.
    pub fn minus(mut self, other: &Matrix) -> Matrix {
        assert_eq!((self.rows, self.cols), (other.rows, other.cols), "shapes");
        self.data.iter_mut().zip(&other.data).for_each(|(a, b)| *a -= b);
        self
    }
}
