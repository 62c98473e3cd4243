//! Element-wise operations over whole tensors: `y = op(x)`, and `y = op(a, b)` where `b` may be smaller than `a`.
//!
//! | `b` for `a` of shape `[.., m, n]` | |
//! |---|---|
//! | `[.., m, n]` | element by element |
//! | `[.., 1, n]` | a row, for every row of `a` |
//! | `[.., m, 1]` | a column, for every column |
//! | `[.., 1, 1]` | a number |
//!
//! The leading dimensions of `b` are those of `a`, or there are none (or only ones): then `b` is the same for every matrix of `a`.
//!
//! An operation is a type. [`Add`], [`Mul`], [`Gelu`] ... are here; one line makes another, of any block expression, several operations in one pass included:
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::{binary_operation, elementwise};
//!
//! binary_operation! {
//!     /// `relu(a + b) / 2`
//!     pub HalfRelu, |a, b| (a + b).relu() * 0.5
//! }
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! let a = device.upload::<bf16>("a", &HostTensor::normal([2, 40, 70], 0)?)?;
//! let bias = device.upload::<bf16>("bias", &HostTensor::normal([1, 70], 1)?)?;
//! let y = device.zeros::<bf16>("y", a.shape())?;
//! let program = elementwise::binary::<HalfRelu, _>(&device.grid(), ComputeConfig::default(), &a, &bias, &y)?;
//! let program = program.validate(&device)?;
//! device.run(&program)?;
//! # Ok(())
//! # }
//! ```
//!
//! Tensors are in tiles, bf16 or f32, of any sizes, on any cores. A block of work is a part of a row of tiles: the largest number up to [`WIDTH`] that divides the
//! row's tiles (all tiles of the tensor, where nothing is broadcast). L1 per core: `6 * WIDTH` tiles, less where blocks are narrower.
//!
//! Padding takes part: that of `y` is the operation of the operands' paddings, `0 / 0` for a division, say, and a broadcast row, column or number counts there
//! as well. Kernels that look at whole tiles, like [`reduce`](crate::reduce), put what they need there themselves.
//!
//! Numerics: `+ - *` of bf16 are done by the matrix unit, exactly but for one rounding to what the registers hold; other operations by the vector unit in f32.
//! f32 with 32-bit registers goes there with all its bits, where `b` is not broadcast; the matrix unit, which broadcasts, takes 11 bits (tf32).

mod movers;
mod named;
mod operation;

pub use movers::{Second, read, read_two, write};
pub use named::{
    Add, AddGelu, AddRelu, Div, Exp, Gelu, Log, Max, Min, Mul, Neg, Recip, Relu, Sigmoid, Silu, Sqrt, Square, Sub, Tanh,
};
pub use operation::{BinaryOperation, Broadcast, Operand, Operands, UnaryOperation};

use crate::exact::Exact;
use crate::row_blocks::in_tiles;
use crate::split::split;
use ttl::prelude::*;

/// The largest number of tiles of a block.
pub const WIDTH: u32 = 8;

/// The largest number of tiles of a block that divides so many.
fn widest(tiles: u32) -> u32 {
    (1..=WIDTH).rev().find(|width| tiles.is_multiple_of(*width)).unwrap_or(1)
}

/// `y = op(a, b)` over the cores of `grid`.
pub fn binary<Op: BinaryOperation, T: Exact>(
    grid: &CoreSet,
    config: ComputeConfig,
    a: &Tensor<T>,
    b: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<Program> {
    for (name, tensor) in [("a", a), ("b", b), ("y", y)] {
        in_tiles(Op::NAME, name, tensor)?;
    }
    if y.shape() != a.shape() {
        let (a, y) = (a.shape(), y.shape());
        return Err(ttl::Error::Other(format!("{}: `a` has shape {a:?}, `y` {y:?}; they must be equal", Op::NAME)));
    }
    let (shape, of_b) = (a.spec().tiles(), b.spec().tiles());
    let broadcast = match (of_b.rows == shape.rows, of_b.cols == shape.cols) {
        (true, true) => Some(Broadcast::None),
        (false, true) if of_b.rows == 1 => Some(Broadcast::Row),
        (true, false) if of_b.cols == 1 => Some(Broadcast::Column),
        (false, false) if of_b.rows == 1 && of_b.cols == 1 => Some(Broadcast::Number),
        _ => None,
    };
    let leading = |shape: &[usize]| shape[..shape.len().saturating_sub(2)].to_vec();
    let (Some(broadcast), true) = (broadcast, of_b.batch == 1 || leading(a.shape()) == leading(b.shape())) else {
        return Err(ttl::Error::Other(format!(
            "{}: `b` of shape {:?} does not go with `a` of shape {:?}: its last two dimensions must be those of `a`, or 1, and those before them \
             all equal, or 1",
            Op::NAME,
            b.shape(),
            a.shape()
        )));
    };
    let by_col = matches!(broadcast, Broadcast::None | Broadcast::Row);
    let (mut rows, mut cols) = (shape.tile_rows() as u32, shape.tile_cols() as u32);
    let (mut b_rows, mut b_cols) = (of_b.tile_rows() as u32, of_b.tile_cols() as u32);
    if broadcast == Broadcast::None {
        // A matrix as one row: blocks may go over the ends of rows.
        (rows, cols) = (1, rows * cols);
        (b_rows, b_cols) = (1, cols);
    }
    let width = widest(cols);
    let by_row = broadcast == Broadcast::Column;
    let second = Second { rows, cols, width, b_matrices: of_b.batch as u32, b_rows, b_cols, by_row, by_col };
    let split = split(a.pages() / width, grid);
    let cores = &split.cores;
    let (first, count) = (|| split.first(), || split.count());
    let mut p = Program::new(Op::NAME);
    let (a_out, a_in) = p.circular_buffer::<T>("a", cores, 2 * width);
    let (b_out, b_in) = p.circular_buffer::<T>("b", cores, if by_col { 2 * width } else { 2 });
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, 2 * width);
    let (a, b) = (a.accessor(), b.accessor());
    p.kernel(cores, read_two { a, b, a_out, b_out, second, first: first(), count: count() });
    Op::compute(&mut p, cores, config, broadcast, Operands { a_in, b_in, y_out, width, count: count() });
    p.kernel(cores, write { y: y.accessor(), y_in, width, first: first(), count: count() });
    Ok(p)
}

/// `y = op(x)` over the cores of `grid`.
pub fn unary<Op: UnaryOperation, T: Exact>(
    grid: &CoreSet,
    config: ComputeConfig,
    x: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<Program> {
    in_tiles(Op::NAME, "x", x)?;
    in_tiles(Op::NAME, "y", y)?;
    if x.shape() != y.shape() {
        let (x, y) = (x.shape(), y.shape());
        return Err(ttl::Error::Other(format!("{} of {x:?} into {y:?}: the shapes must be equal", Op::NAME)));
    }
    let width = widest(x.pages());
    let split = split(x.pages() / width, grid);
    let cores = &split.cores;
    let (first, count) = (|| split.first(), || split.count());
    let mut p = Program::new(Op::NAME);
    let (x_out, x_in) = p.circular_buffer::<T>("x", cores, 2 * width);
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, 2 * width);
    p.kernel(cores, read { x: x.accessor(), x_out, width, first: first(), count: count() });
    Op::compute(&mut p, cores, config, Operand { x_in, y_out, width, count: count() });
    p.kernel(cores, write { y: y.accessor(), y_in, width, first: first(), count: count() });
    Ok(p)
}
