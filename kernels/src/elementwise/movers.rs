//! Readers of one and two operands, and the writer.

use crate::tiles::{read_tiles, write_tiles};
use ttl::prelude::*;

/// Where the blocks of the second operand are. Sizes in tiles.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Second {
    /// Rows and columns of a matrix of `a`.
    pub rows: u32,
    /// Columns of a matrix of `a`.
    pub cols: u32,
    /// Tiles of a block.
    pub width: u32,
    /// Matrices, rows and columns of a matrix of `b`.
    pub b_matrices: u32,
    /// Rows of a matrix of `b`.
    pub b_rows: u32,
    /// Columns of a matrix of `b`.
    pub b_cols: u32,
    /// Whether `b` has a row of tiles for each of `a`, and a column.
    pub by_row: bool,
    /// Whether it has a column of tiles for each of `a`.
    pub by_col: bool,
}

#[ttl::device]
impl Second {
    /// The first tile of `b` for block `number`.
    pub fn tile(&self, number: u32) -> u32 {
        let page = number * self.width;
        let (row, col) = (page / self.cols, page % self.cols);
        let matrix = row / self.rows % self.b_matrices;
        let b_row = if self.by_row { row % self.rows } else { 0 };
        let b_col = if self.by_col { col } else { 0 };
        (matrix * self.b_rows + b_row) * self.b_cols + b_col
    }
}

/// Brings blocks of both operands.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors, their buffers and the share of the work
pub fn read_two<T: Element>(
    noc: Noc,
    a: TensorAccessor<T>,
    b: TensorAccessor<T>,
    a_out: CbOut<T>,
    b_out: CbOut<T>,
    #[ttl(common)] second: Second,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        read_tiles(&noc, &a, &a_out, number * second.width, second.width);
        read_tiles(&noc, &b, &b_out, second.tile(number), if second.by_col { second.width } else { 1 });
    }
}

/// Brings blocks of one operand.
#[ttl::kernel(reader)]
pub fn read<T: Element>(
    noc: Noc,
    x: TensorAccessor<T>,
    x_out: CbOut<T>,
    #[ttl(common)] width: u32,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        read_tiles(&noc, &x, &x_out, number * width, width);
    }
}

/// Writes blocks of the result.
#[ttl::kernel(writer)]
pub fn write<T: Element>(
    noc: Noc,
    y: TensorAccessor<T>,
    y_in: CbIn<T>,
    #[ttl(common)] width: u32,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        write_tiles(&noc, &y, &y_in, number * width, width);
    }
}
