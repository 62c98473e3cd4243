//! What a sentence embedding ends with: the mean of the rows that count, and rows of length one.
//!
//! [`mean_program`]: `y[b, :] = sum over s of weights[b, s] * x[b, s, :] / max(sum over s of weights[b, s], 1e-9)`.
//!
//! | | shape |
//! |---|---|
//! | `weights` | `[batch, s]`: 1 for rows that count and 0 for others, or any weights of at least 0 |
//! | `x` | `[batch, s, n]` |
//! | `y` | `[batch, n]`, bf16 or f32 |
//!
//! All in tiles, of any sizes, on any cores. It is a matrix product: 32 sentences are the rows of a tile of `y`. For one sentence the reader takes its row out
//! of a tile of weights and puts it into a tile of zeros; the product of that with the sentence's tiles adds to no row of the sums but its own. A product with
//! a tile of ones gives the sum of the weights, in a register of its own. Padding of `x` and `weights` does not matter, not even NaN; the padding of `y` is zero.
//!
//! Numerics: bf16 products are exact at HiFi4, the sums stay in the registers: with 32-bit registers only the packing rounds, with 16-bit registers each
//! 32 rows do. L1 per core: `2 * width + 4` tiles of bf16 and `2 * width` of `y`, of which width is at most 7 (3 with 32-bit registers).
//!
//! [`normalise_program`]: `y = x / max(sqrt(sum of x^2 along the row), 1e-12)` for `x` and `y` of the same shape `[.., n]`. Each row of tiles is read twice, so that rows
//! may be of any length; L1 per core: 4 tiles of `x` and `y` each, 2 of f32. The squares are added up in the registers; the sum goes through the matrix
//! unit once more, which keeps 11 bits of it: the factor is right to 2^-11 with 32-bit registers.
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::pooling;
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! // Two sentences of three rows, of which the second sentence has two.
//! let x = device.upload::<bf16>("x", &HostTensor::from_fn([2, 3, 64], |i| (i / 64 % 3) as f32)?)?;
//! let weights = HostTensor::from_vec([2, 3], vec![1f32, 1.0, 1.0, 1.0, 1.0, 0.0])?;
//! let weights = device.upload::<bf16>("weights", &weights)?;
//! let y = device.zeros::<bf16>("y", &[2, 64])?;
//! let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
//! let program = pooling::mean_program(&device.grid(), config, &weights, &x, &y)?;
//! let program = program.validate(&device)?;
//! device.run(&program)?;
//! let means = device.download(&y)?;
//! assert_eq!((means.get(0), means.get(64)), (Some(1.0), Some(0.5)));
//! # Ok(())
//! # }
//! ```

use crate::row_blocks::in_tiles;
use crate::split::split;
use crate::tiles::{pad_tile, write_tiles};
use ttl::prelude::*;

/// Sizes of a mean, in tiles but for `batch`, `rows` and `elements`.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mean {
    /// Sentences.
    pub batch: u32,
    /// Rows of a sentence.
    pub rows: u32,
    /// Tiles of rows of a sentence.
    pub steps: u32,
    /// Elements of a row.
    pub elements: u32,
    /// Tiles side by side.
    pub cols: u32,
    /// Tiles side by side of a block, which divides `cols`.
    pub width: u32,
}

#[ttl::device]
impl Mean {
    /// Sentences of block `number`.
    pub fn sentences(&self, number: u32) -> u32 {
        (self.batch - self.group(number) * 32).min(32)
    }

    /// The row of tiles of `y` of block `number`.
    pub fn group(&self, number: u32) -> u32 {
        number / (self.cols / self.width)
    }

    /// The first column of tiles of block `number`.
    pub fn column(&self, number: u32) -> u32 {
        number % (self.cols / self.width) * self.width
    }
}

/// For each block, each 32 rows and each sentence: the sentence's weights in a tile of zeros, and its tiles.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // two tensors, four buffers and the share of the work
pub fn read_mean(
    noc: Noc,
    weights: TensorAccessor<bf16>,
    x: TensorAccessor<bf16>,
    all_out: CbOut<bf16>,
    all_in: CbIn<bf16>,
    ones_out: CbOut<bf16>,
    one_out: CbOut<bf16>,
    x_out: CbOut<bf16>,
    #[ttl(common)] mean: Mean,
    first: u32,
    count: u32,
) {
    {
        let mut ones = ones_out.reserve_back(1);
        for word in 0..512 {
            ones.write_u32(word, 0x3f80_3f80);
        }
    }
    for number in first..first + count {
        for step in 0..mean.steps {
            let rows = (mean.rows - step * 32).min(32);
            let mut all = all_out.reserve_back(1);
            noc.read_page(&weights, mean.group(number) * mean.steps + step, &mut all).wait();
            pad_tile(&noc, all.get_write_ptr(), 2, mean.sentences(number), rows, 0);
            all.push_back();
            let all = all_in.wait_front(1);
            for sentence in 0..mean.sentences(number) {
                let mut one = one_out.reserve_back(1);
                for word in 0..512 {
                    one.write_u32(word, 0);
                }
                // The row lies in two faces.
                for face in 0..2 {
                    let begin = (sentence / 16 * 2 + face) * 128 + sentence % 16 * 8;
                    for word in begin..begin + 8 {
                        one.write_u32(word, all.read_u32(word));
                    }
                }
                one.push_back();
                let matrix = (mean.group(number) * 32 + sentence) * mean.steps + step;
                let mut tiles = x_out.reserve_back(mean.width);
                let mut reads = noc.read_into(&mut tiles);
                for i in 0..mean.width {
                    reads.page(&x, matrix * mean.cols + mean.column(number) + i, i);
                }
                reads.wait();
                for i in 0..mean.width {
                    let cols = (mean.elements - (mean.column(number) + i) * 32).min(32);
                    pad_tile(&noc, tiles.get_write_ptr() + i * 2048, 2, rows, cols, 0);
                }
            }
        }
    }
}

/// The sums of a block in the first registers, the sum of the weights in the one behind them.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // four buffers and the share of the work
pub fn mean<Y: Element>(
    compute: Compute,
    ones_in: CbIn<bf16>,
    one_in: CbIn<bf16>,
    x_in: CbIn<bf16>,
    y_out: CbOut<Y>,
    #[ttl(common)] mean: Mean,
    first: u32,
    count: u32,
) {
    let ones = ones_in.wait_front(1);
    for number in first..first + count {
        let mut y = y_out.reserve_back(mean.width);
        let mut regs = compute.acquire();
        for _ in 0..mean.steps * mean.sentences(number) {
            let one = one_in.wait_front(1);
            let x = x_in.wait_front(mean.width);
            for i in 0..mean.width {
                regs.matmul_tiles(&one, &x, 0, i, i);
            }
            regs.matmul_tiles(&one, &ones, 0, 0, mean.width);
        }
        regs.unary_max_tile(mean.width, 1e-9);
        regs.recip_tile(mean.width);
        for i in 0..mean.width {
            regs.mul_binary_tile(i, mean.width, i);
        }
        regs.commit().pack_block(0, &mut y, mean.width);
    }
}

/// Blocks of means.
#[ttl::kernel(writer)]
pub fn write_mean<Y: Element>(
    noc: Noc,
    y: TensorAccessor<Y>,
    y_in: CbIn<Y>,
    #[ttl(common)] mean: Mean,
    first: u32,
    count: u32,
) {
    for number in first..first + count {
        write_tiles(&noc, &y, &y_in, mean.group(number) * mean.cols + mean.column(number), mean.width);
    }
}

/// The weighted means of the rows of each sentence, over the cores of `grid`.
pub fn mean_program<Y: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    weights: &Tensor<bf16>,
    x: &Tensor<bf16>,
    y: &Tensor<Y>,
) -> ttl::Result<Program> {
    in_tiles("mean", "weights", weights)?;
    in_tiles("mean", "x", x)?;
    in_tiles("mean", "y", y)?;
    let (&[batch, rows, n], true) = (x.shape(), weights.shape().len() == 2) else {
        return Err(ttl::Error::Other(format!(
            "mean of `x` of shape {:?} with weights of shape {:?}: they must be [batch, rows, n] and [batch, rows]",
            x.shape(),
            weights.shape()
        )));
    };
    for (name, shape, must) in [("weights", weights.shape(), [batch, rows]), ("y", y.shape(), [batch, n])] {
        if shape != must {
            return Err(ttl::Error::Other(format!(
                "mean: `{name}` has shape {shape:?}; for `x` of shape {:?} it must have {must:?}",
                x.shape()
            )));
        }
    }
    let (cols, groups) = (x.tile_cols(), y.tile_rows());
    let each = (cols * groups).div_ceil(grid.len().max(1) as u32);
    let registers = config.dst_tiles() - 1;
    let width = (1..=registers.min(each)).rev().find(|w| cols.is_multiple_of(*w)).unwrap_or(1);
    let mean = Mean {
        batch: batch as u32,
        rows: rows as u32,
        steps: rows.div_ceil(32) as u32,
        elements: n as u32,
        cols,
        width,
    };
    let split = split(groups * cols / width, grid);
    let cores = &split.cores;
    let (first, count) = (|| split.first(), || split.count());
    let mut p = Program::new("mean");
    let (all_out, all_in) = p.circular_buffer::<bf16>("weights", cores, 1);
    let (ones_out, ones_in) = p.circular_buffer::<bf16>("ones", cores, 1);
    let (one_out, one_in) = p.circular_buffer::<bf16>("weights of one", cores, 2);
    let (x_out, x_in) = p.circular_buffer::<bf16>("x", cores, 2 * width);
    let (y_out, y_in) = p.circular_buffer::<Y>("y", cores, 2 * width);
    p.kernel(
        cores,
        read_mean {
            weights: weights.accessor(),
            x: x.accessor(),
            all_out,
            all_in,
            ones_out,
            one_out,
            x_out,
            mean,
            first: first(),
            count: count(),
        },
    );
    let kernel = self::mean { ones_in, one_in, x_in, y_out, mean, first: first(), count: count() };
    p.compute(cores, config, kernel);
    p.kernel(cores, write_mean { y: y.accessor(), y_in, mean, first: first(), count: count() });
    Ok(p)
}

/// Each row of tiles twice, with zeros in its padding.
#[ttl::kernel(reader)]
#[allow(clippy::too_many_arguments)] // sizes
pub fn read_twice<T: Element>(
    noc: Noc,
    x: TensorAccessor<T>,
    x_out: CbOut<T>,
    #[ttl(common)] cols: u32,
    #[ttl(common)] last: u32,
    first: u32,
    count: u32,
) {
    for row in first..first + count {
        for _ in 0..2 {
            for col in 0..cols {
                let mut tile = x_out.reserve_back(1);
                noc.read_page(&x, row * cols + col, &mut tile).wait();
                if col + 1 == cols {
                    pad_tile(&noc, tile.get_write_ptr(), x_out.get_tile_size() / 1024, 32, last, 0);
                }
            }
        }
    }
}

/// The sum of squares of each row, then the row times one over its root.
#[ttl::kernel(compute)]
#[allow(clippy::too_many_arguments)] // both ends of two sums
pub fn normalise<T: Element>(
    compute: Compute,
    x_in: CbIn<T>,
    squares_out: CbOut<f32>,
    squares_in: CbIn<f32>,
    factor_out: CbOut<f32>,
    factor_in: CbIn<f32>,
    y_out: CbOut<T>,
    #[ttl(common)] cols: u32,
    count: u32,
) {
    for _ in 0..count {
        let mut squares = compute.zeros(1, 1);
        for _ in 0..cols {
            let x = x_in.wait_front(1);
            squares += &x * &x;
        }
        squares_out.reserve_back(1).store(squares);
        {
            let squares = squares_in.wait_front(1);
            let sum = squares.block(1, 1).sum_row();
            factor_out.reserve_back(1).store(sum.unary_max(1e-24).rsqrt());
        }
        let factor = factor_in.wait_front(1);
        for _ in 0..cols {
            let x = x_in.wait_front(1);
            y_out.reserve_back(1).store(x.block(1, 1) * factor.block(1, 1).bcast_cols());
        }
    }
}

/// Rows of tiles.
#[ttl::kernel(writer)]
pub fn write_rows<T: Element>(
    noc: Noc,
    y: TensorAccessor<T>,
    y_in: CbIn<T>,
    #[ttl(common)] cols: u32,
    first: u32,
    count: u32,
) {
    for page in first * cols..(first + count) * cols {
        write_tiles(&noc, &y, &y_in, page, 1);
    }
}

/// Rows of length one, over the cores of `grid`.
pub fn normalise_program<T: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    x: &Tensor<T>,
    y: &Tensor<T>,
) -> ttl::Result<Program> {
    in_tiles("normalise", "x", x)?;
    in_tiles("normalise", "y", y)?;
    if T::FORMAT.element_bytes().is_none_or(|bytes| bytes != 2 && bytes != 4) {
        return Err(ttl::Error::Other(format!("normalise: `x` is of {}; it must be of bf16 or f32", T::FORMAT)));
    }
    if x.shape() != y.shape() {
        let (x, y) = (x.shape(), y.shape());
        return Err(ttl::Error::Other(format!("normalise of {x:?} into {y:?}: the shapes must be equal")));
    }
    let (cols, last) = (x.tile_cols(), (x.spec().tiles().cols as u32 - 1) % 32 + 1);
    let split = split(x.tile_rows(), grid);
    let cores = &split.cores;
    let (first, count) = (|| split.first(), || split.count());
    let mut p = Program::new("normalise");
    let (x_out, x_in) = p.circular_buffer::<T>("x", cores, 4);
    let (squares_out, squares_in) = p.circular_buffer::<f32>("squares", cores, 1);
    let (factor_out, factor_in) = p.circular_buffer::<f32>("factor", cores, 1);
    let (y_out, y_in) = p.circular_buffer::<T>("y", cores, 4);
    p.kernel(cores, read_twice { x: x.accessor(), x_out, cols, last, first: first(), count: count() });
    let kernel = normalise { x_in, squares_out, squares_in, factor_out, factor_in, y_out, cols, count: count() };
    p.compute(cores, config, kernel);
    p.kernel(cores, write_rows { y: y.accessor(), y_in, cols, first: first(), count: count() });
    Ok(p)
}
