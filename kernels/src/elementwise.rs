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

use crate::exact::Exact;
use crate::row_blocks::in_tiles;
use crate::split::split;
use crate::tiles::{read_tiles, write_tiles};
use ttl::prelude::*;

/// The largest number of tiles of a block.
pub const WIDTH: u32 = 8;

/// How the second operand is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broadcast {
    None,
    Row,
    Column,
    Number,
}

/// What the compute kernel of a binary operation gets.
#[derive(Debug)]
pub struct Operands<T> {
    pub a_in: Consumer<T>,
    pub b_in: Consumer<T>,
    pub y_out: Producer<T>,
    /// Tiles of a block of `a` and `y`; of `b` as many, or one where it is a column or a number.
    pub width: u32,
    /// Blocks of each core.
    pub count: PerCore<u32>,
}

/// An operation of two numbers: see [`binary_operation!`](crate::binary_operation).
pub trait BinaryOperation {
    const NAME: &'static str;

    /// Puts the compute kernel on cores.
    fn compute<T: Exact>(
        program: &mut Program,
        cores: &CoreSet,
        config: ComputeConfig,
        broadcast: Broadcast,
        operands: Operands<T>,
    );
}

/// What the compute kernel of a unary operation gets.
#[derive(Debug)]
pub struct Operand<T> {
    pub x_in: Consumer<T>,
    pub y_out: Producer<T>,
    pub width: u32,
    pub count: PerCore<u32>,
}

/// An operation of one number: see [`unary_operation!`](crate::unary_operation).
pub trait UnaryOperation {
    const NAME: &'static str;

    /// Puts the compute kernel on cores.
    fn compute<T: Exact>(program: &mut Program, cores: &CoreSet, config: ComputeConfig, operand: Operand<T>);
}

/// Makes a type that is an element-wise operation of two operands: `binary_operation! { pub Name, |a, b| expression }`, where the expression is one of
/// block expressions (`a * b`, `(a - b).square()`, `a.max(b).exp()`).
#[macro_export]
macro_rules! binary_operation {
    ($(#[$doc:meta])* $vis:vis $name:ident, |$a:ident, $b:ident| $value:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name;

        const _: () = {
            use ::ttl::prelude::*;

            #[::ttl::kernel(compute)]
            fn whole<T: Element>(
                _compute: Compute,
                a_in: CbIn<T>,
                b_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                for _ in 0..count {
                    let a_block = a_in.wait_front(width);
                    let b_block = b_in.wait_front(width);
                    let $a = a_block.block(1, width);
                    let $b = b_block.block(1, width);
                    y_out.reserve_back(width).store($value);
                }
            }

            #[::ttl::kernel(compute)]
            fn with_row<T: Element>(
                _compute: Compute,
                a_in: CbIn<T>,
                b_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                // Tile by tile: the vector unit's row of bf16 in 32-bit registers goes through a buffer, whose size must be a constant.
                for _ in 0..count * width {
                    let a_block = a_in.wait_front(1);
                    let b_block = b_in.wait_front(1);
                    let $a = a_block.block(1, 1);
                    let $b = b_block.block(1, 1).bcast_rows();
                    y_out.reserve_back(1).store($value);
                }
            }

            #[::ttl::kernel(compute)]
            fn with_column<T: Element>(
                _compute: Compute,
                a_in: CbIn<T>,
                b_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                for _ in 0..count {
                    let a_block = a_in.wait_front(width);
                    let b_block = b_in.wait_front(1);
                    let $a = a_block.block(1, width);
                    let $b = b_block.block(1, 1).bcast_cols();
                    y_out.reserve_back(width).store($value);
                }
            }

            #[::ttl::kernel(compute)]
            fn with_number<T: Element>(
                _compute: Compute,
                a_in: CbIn<T>,
                b_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                for _ in 0..count {
                    let a_block = a_in.wait_front(width);
                    let b_block = b_in.wait_front(1);
                    let $a = a_block.block(1, width);
                    let $b = b_block.block(1, 1).bcast_scalar();
                    y_out.reserve_back(width).store($value);
                }
            }

            impl $crate::elementwise::BinaryOperation for $name {
                const NAME: &'static str = stringify!($name);

                fn compute<T: $crate::exact::Exact>(
                    program: &mut Program,
                    cores: &CoreSet,
                    config: ComputeConfig,
                    broadcast: $crate::elementwise::Broadcast,
                    operands: $crate::elementwise::Operands<T>,
                ) {
                    use $crate::elementwise::Broadcast;
                    let $crate::elementwise::Operands { a_in, b_in, y_out, width, count } = operands;
                    match broadcast {
                        Broadcast::None => {
                            let (a, b) = (a_in.clone(), b_in.clone());
                            let kernel = whole::<T> { a_in, b_in, y_out, width, count };
                            T::compute_with(program, cores, config, &[&a, &b], kernel);
                        }
                        Broadcast::Row => {
                            program.compute(cores, config, with_row::<T> { a_in, b_in, y_out, width, count });
                        }
                        Broadcast::Column => {
                            program.compute(cores, config, with_column::<T> { a_in, b_in, y_out, width, count });
                        }
                        Broadcast::Number => {
                            program.compute(cores, config, with_number::<T> { a_in, b_in, y_out, width, count });
                        }
                    }
                }
            }
        };
    };
}

/// Makes a type that is an element-wise operation of one operand: `unary_operation! { pub Name, |x| expression }`.
#[macro_export]
macro_rules! unary_operation {
    ($(#[$doc:meta])* $vis:vis $name:ident, |$x:ident| $value:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name;

        const _: () = {
            use ::ttl::prelude::*;

            #[::ttl::kernel(compute)]
            fn whole<T: Element>(
                _compute: Compute,
                x_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                for _ in 0..count {
                    let x_block = x_in.wait_front(width);
                    let $x = x_block.block(1, width);
                    y_out.reserve_back(width).store($value);
                }
            }

            impl $crate::elementwise::UnaryOperation for $name {
                const NAME: &'static str = stringify!($name);

                fn compute<T: $crate::exact::Exact>(
                    program: &mut Program,
                    cores: &CoreSet,
                    config: ComputeConfig,
                    operand: $crate::elementwise::Operand<T>,
                ) {
                    let $crate::elementwise::Operand { x_in, y_out, width, count } = operand;
                    let x = x_in.clone();
                    T::compute_with(program, cores, config, &[&x], whole::<T> { x_in, y_out, width, count });
                }
            }
        };
    };
}

binary_operation! {
    /// `a + b`
    pub Add, |a, b| a + b
}
binary_operation! {
    /// `a - b`
    pub Sub, |a, b| a - b
}
binary_operation! {
    /// `a * b`
    pub Mul, |a, b| a * b
}
binary_operation! {
    /// `a / b`
    pub Div, |a, b| a / b
}
binary_operation! {
    /// The larger one.
    pub Max, |a, b| a.max(b)
}
binary_operation! {
    /// The smaller one.
    pub Min, |a, b| a.min(b)
}
binary_operation! {
    /// `relu(a + b)`
    pub AddRelu, |a, b| (a + b).relu()
}
binary_operation! {
    /// `gelu(a + b)`
    pub AddGelu, |a, b| (a + b).gelu()
}

unary_operation! {
    /// `x` where it is positive, else 0.
    pub Relu, |x| x.relu()
}
unary_operation! {
    /// `x` times the normal distribution's integral up to `x`.
    pub Gelu, |x| x.gelu()
}
unary_operation! {
    /// `x / (1 + e^-x)`
    pub Silu, |x| x.silu()
}
unary_operation! {
    /// `1 / (1 + e^-x)`
    pub Sigmoid, |x| x.sigmoid()
}
unary_operation! {
    /// The hyperbolic tangent.
    pub Tanh, |x| x.tanh()
}
unary_operation! {
    /// `e^x`
    pub Exp, |x| x.exp()
}
unary_operation! {
    /// The natural logarithm.
    pub Log, |x| x.log()
}
unary_operation! {
    /// The square root.
    pub Sqrt, |x| x.sqrt()
}
unary_operation! {
    /// `1 / x`
    pub Recip, |x| x.recip()
}
unary_operation! {
    /// `-x`
    pub Neg, |x| -x
}
unary_operation! {
    /// `x * x`
    pub Square, |x| x.square()
}

/// Where the blocks of the second operand are. Sizes in tiles.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Second {
    /// Rows and columns of a matrix of `a`.
    pub rows: u32,
    pub cols: u32,
    pub width: u32,
    /// Matrices, rows and columns of a matrix of `b`.
    pub b_matrices: u32,
    pub b_rows: u32,
    pub b_cols: u32,
    /// Whether `b` has a row of tiles for each of `a`, and a column.
    pub by_row: bool,
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
