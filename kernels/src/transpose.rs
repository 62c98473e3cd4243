//! Transpose of the last two dimensions: `y[.., j, i] = x[.., i, j]`, bf16 or f32, of any shape.
//!
//! Every bit arrives. A block of work is up to [`HEIGHT`] tiles above one another in `x`, which are side by side in `y`; the compute thread transposes
//! each tile. The padding of `y` is the transposed padding of `x`. L1 per core: `4 * height` tiles.
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::transpose;
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! let host = HostTensor::normal([2, 40, 70], 1)?;
//! let x = device.upload::<bf16>("x", &host)?;
//! let y = device.zeros::<bf16>("y", &[2, 70, 40])?;
//! let program = transpose::program(&device.grid(), &x, &y)?.validate(&device)?;
//! device.run(&program)?;
//! assert_eq!(device.download(&y)?.get(40), device.download(&x)?.get(1)); // y[0, 1, 0] and x[0, 0, 1]
//! # Ok(())
//! # }
//! ```

use crate::exact::Exact;
use crate::pieces::{even_size, piece_at, pieces, write_piece};
use crate::row_blocks::in_tiles;
use crate::split::split;
use ttl::prelude::*;

/// The largest number of tiles of a block.
pub const HEIGHT: u32 = 8;

/// Matrices of `rows` x `cols` tiles, in blocks of up to `height` tiles of a column.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Columns {
    /// Tiles above one another in a matrix of `x`.
    pub rows: u32,
    /// Tiles side by side.
    pub cols: u32,
    /// Tiles of a block; the last of a column may have fewer.
    pub height: u32,
    /// Blocks above one another.
    pub blocks: u32,
}

/// Part of a column of tiles of `x`, and of a row of tiles of `y`.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its first tile in `x`.
    pub from: u32,
    /// Its first tile in `y`.
    pub to: u32,
    /// How many it has.
    pub tiles: u32,
}

#[ttl::device]
impl Columns {
    /// Part `number`.
    pub fn part(&self, number: u32) -> Part {
        let row = number % self.blocks * self.height;
        // Columns count through all matrices.
        let column = number / self.blocks;
        Part {
            from: (column / self.cols * self.rows + row) * self.cols + column % self.cols,
            to: column * self.rows + row,
            tiles: piece_at(row, self.height, self.rows),
        }
    }
}

/// Brings parts of columns of tiles.
#[ttl::kernel(reader)]
pub fn read<T: Element>(
    noc: Noc,
    x: TensorAccessor<T>,
    x_out: CbOut<T>,
    #[ttl(common)] columns: Columns,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let part = columns.part(number);
        let mut tiles = x_out.reserve_back(columns.height);
        let mut reads = noc.read_into(&mut tiles);
        for i in 0..part.tiles {
            reads.page(&x, part.from + i * columns.cols, i);
        }
        reads.wait();
    }
}

/// Transposes blocks of `height` tiles; in the last of a column some may mean nothing.
#[ttl::kernel(compute)]
pub fn transpose<T: Element>(
    _compute: Compute,
    x_in: CbIn<T>,
    y_out: CbOut<T>,
    #[ttl(common)] height: u32,
    count: u32,
) {
    for _ in 0..count {
        let x = x_in.wait_front(height);
        y_out.reserve_back(height).store(x.block(height, 1).transpose());
    }
}

/// As [`transpose()`], for f32: copied to the registers with all its bits and transposed there.
#[ttl::kernel(compute)]
pub fn transpose_full<T: Element>(
    compute: Compute,
    x_in: CbIn<T>,
    y_out: CbOut<T>,
    #[ttl(common)] height: u32,
    count: u32,
) {
    for _ in 0..count {
        let x = x_in.wait_front(height);
        let mut y = y_out.reserve_back(height);
        for i in 0..height {
            let mut regs = compute.acquire();
            regs.copy_tile(&x, i, 0);
            regs.transpose_dest(0);
            regs.commit().pack_tile(0, &mut y);
        }
    }
}

/// Takes them away as parts of rows of tiles.
#[ttl::kernel(writer)]
pub fn write<T: Element>(
    noc: Noc,
    y: TensorAccessor<T>,
    y_in: CbIn<T>,
    #[ttl(common)] columns: Columns,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        let part = columns.part(number);
        write_piece(noc, &y, &y_in, columns.height, part.to, part.tiles);
    }
}

/// `y` is `x` with its last two dimensions exchanged, over the cores of `grid`. A vector `[n]` is a matrix `[1, n]`.
pub fn program<T: Exact>(grid: &CoreSet, x: &Tensor<T>, y: &Tensor<T>) -> ttl::Result<Program> {
    in_tiles("transpose", "x", x)?;
    in_tiles("transpose", "y", y)?;
    let (shape, result) = (x.spec().tiles(), y.spec().tiles());
    if (result.batch, result.rows, result.cols) != (shape.batch, shape.cols, shape.rows) {
        return Err(ttl::Error::Other(format!(
            "transpose of {:?} into {:?}: the last two dimensions must be exchanged, those before them equal",
            x.shape(),
            y.shape()
        )));
    }
    let (rows, cols) = (shape.tile_rows() as u32, shape.tile_cols() as u32);
    let height = even_size(rows, HEIGHT);
    let blocks = pieces(rows, height);
    let columns = Columns { rows, cols, height, blocks };
    let split = split(shape.batch as u32 * cols * blocks, grid);
    let cores = &split.cores;
    let (first, count) = (|| split.first(), || split.count());
    let mut p = Program::new("transpose");
    let (x_out, x_in) = p.circular_buffer::<T>("x", cores, 2 * height);
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, 2 * height);
    p.kernel(cores, read { x: x.accessor(), x_out, columns, first: first(), count: count() });
    let input = x_in.clone();
    if T::BYTES == 2 {
        T::compute(&mut p, cores, &input, transpose { x_in, y_out, height, count: count() });
    } else {
        T::compute(&mut p, cores, &input, transpose_full { x_in, y_out, height, count: count() });
    }
    p.kernel(cores, write { y: y.accessor(), y_in, columns, first: first(), count: count() });
    Ok(p)
}
