//! `c = activation(a * b + bias)`: a matrix product over any cores, of any shapes.
//!
//! ```
//! use ttl::prelude::*;
//! use ttl_kernels::matmul::{self, Activation, Options};
//!
//! # fn main() -> ttl::Result<()> {
//! let mut device = Device::open()?;
//! let x = device.upload::<bf16>("x", &HostTensor::normal([2, 48, 96], 1)?)?;    // two batches of 48 rows
//! let w = device.upload::<bfp8_b>("w", &HostTensor::normal([96, 160], 2)?)?;    // weights in block floats
//! let bias = device.upload::<bf16>("bias", &HostTensor::normal([160], 3)?)?;
//! let y = device.zeros::<bf16>("y", &matmul::result_shape(&x, &w)?)?;            // 2 x 48 x 160
//!
//! let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
//! let options = Options { bias: Some(&bias), activation: Activation::Gelu, ..Options::default() };
//! let program = matmul::program(&device.grid(), config, &x, &w, &y, &options)?;
//! let program = program.validate(&device)?;
//! device.run(&program)?;
//! # Ok(())
//! # }
//! ```
//!
//! **Shapes.** `a` is `.. x m x k`: leading dimensions are more rows of tiles. `b` is `k x n`, `c` has the shape of `a` with `n` in place of `k`, `bias` is
//! one row of `n`. Nothing has to fill tiles, and no number of tiles has to be a multiple of anything: the last blocks are smaller.
//!
//! **Padding.** Beyond `k`, the padding of a tile takes part in the sums: it must be zero in `a` or in `b`, and no infinity or NaN in the other.
//! Uploaded tensors have zeros there, and so has `c` in its columns beyond `n` for the activations with f(0) = 0, which is all but
//! [`Activation::Sigmoid`]. Its rows beyond `m` hold the activation of the bias; they do not matter to a product that takes `c` as `a`.
//!
//! **Formats.** `a`, `b` and `c` are bf16, f32 or block floats, each its own; `bias` has the format of `c`, which is not of block floats for
//! [`Activation::Relu`]. With `fp32_dest_acc` sums are f32 from the
//! first product to the activation, wherever they are kept in between; without it they are rounded to bf16 after each product of tiles.
//! So a `c` of f32 is worth its bytes with `fp32_dest_acc` only: 16-bit registers are just widened.
//!
//! f32 operands go through the matrix unit, which has no f32: in 32-bit registers it cuts `a` and `bias` to the 11 significant bits of tf32 and `b` to 10,
//! in 16-bit registers all of them to the 8 bits of bf16.
//!
//! **Strategies** ([`Strategy`]), of which [`Strategy::Auto`] takes the one with the shortest estimated time ([`plan`](fn@plan) tells which):
//!
//! | | when | each tile is read |
//! |---|---|---|
//! | unicast | few cores, or a result with few blocks in one direction | once per block that needs it |
//! | multicast | many blocks in both directions, over a rectangle of cores | once per row or column of blocks on a core |
//! | k split | fewer blocks than cores, and a long k | once per block that needs it |
//!
//! **Blocks** ([`Blocks`]). A core computes a block of `m` x `n` tiles of the result in steps of `k` tiles. A block that fits the tile registers stays
//! there over all steps. A larger one is computed in sub-blocks; where it takes more than one step, its sums are kept in L1 in f32, where the
//! packer adds to them.
//!
//! **L1 of a core**, in tiles: `2mk` of `a`, `2kn` of `b`, `n + 1` for a bias, `mn` of `c` (two sub-blocks at least), each of its format; `mn` of f32 for sums; of a
//! chain two sub-blocks of f32 for each of two buffers. Blocks are chosen within [`Options::l1`].
//!
//! **Bias and activation** cost one operation of the matrix unit per tile of the result (the bias is in the registers before the first product) and
//! the operation of the vector unit on it; ReLU nothing: the packer does it.

pub mod build;
pub mod compute;
pub mod k_split;
pub mod movers;
pub mod multicast;
pub mod plan;
pub mod sizes;

pub use plan::{Layout, Plan};
pub use sizes::Blocks;
use ttl::prelude::*;

/// What is applied to each element of the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Activation {
    /// Nothing.
    #[default]
    None,
    /// The larger of it and 0.
    Relu,
    /// By the error function.
    Gelu,
    /// The approximation by tanh.
    GeluTanh,
    /// `x * sigmoid(x)`.
    Silu,
    /// `1 / (1 + e^-x)`.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
}

/// How cores share the work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// The one that is estimated to be fastest.
    #[default]
    Auto,
    /// Every core reads what its blocks need.
    Unicast,
    /// The first cores of rows and columns read for the others; over the largest rectangle of the cores.
    Multicast,
    /// Several cores share the sums of a block.
    KSplit,
}

/// What a product has beyond its operands.
#[derive(Clone, Copy, Debug)]
pub struct Options<'t, C = bf16> {
    /// A row that is added to each row of the product, of the format of the result.
    pub bias: Option<&'t Tensor<C>>,
    /// What is applied to each element of the sum.
    pub activation: Activation,
    /// How cores share the work.
    pub strategy: Strategy,
    /// Block sizes, in place of chosen ones.
    pub blocks: Option<Blocks>,
    /// Bytes of L1 that the buffers of a core may take; [`Options::L1`] if not given.
    pub l1: Option<u64>,
}

impl<C> Default for Options<'_, C> {
    fn default() -> Self {
        Options { bias: None, activation: Activation::None, strategy: Strategy::Auto, blocks: None, l1: None }
    }
}

impl Options<'_> {
    /// 1 MiB: on both chips it leaves 300 KiB for tensors in L1.
    pub const L1: u64 = 1 << 20;
}

/// The tensors of a product.
pub(crate) struct Operands<'t, A, B, C> {
    pub a: &'t Tensor<A>,
    pub b: &'t Tensor<B>,
    pub bias: Option<&'t Tensor<C>>,
    pub c: &'t Tensor<C>,
    pub activation: Activation,
}

impl<'t, A: Element, B: Element, C: Element> Operands<'t, A, B, C> {
    fn new(
        a: &'t Tensor<A>,
        b: &'t Tensor<B>,
        c: &'t Tensor<C>,
        options: &Options<'t, C>,
    ) -> ttl::Result<Operands<'t, A, B, C>> {
        let refuse = |why: String| Err(ttl::Error::Other(format!("matmul: {why}")));
        let shape = result_shape(a, b)?;
        for (name, format) in [("a", A::FORMAT), ("b", B::FORMAT), ("c", C::FORMAT)] {
            if format.is_integer() {
                return refuse(format!(
                    "`{name}` is {format}, and the matrix unit multiplies bf16, f32 and block floats"
                ));
            }
        }
        if options.activation == Activation::Relu && C::FORMAT.is_block_float() {
            return refuse(format!(
                "ReLU into `c` of {}: the packer applies it, to bf16 and f32 only; use one of these",
                C::FORMAT
            ));
        }
        if c.shape() != shape {
            return refuse(format!("the result has the shape {:?}, must have {shape:?}", c.shape()));
        }
        if let Some(bias) = options.bias
            && (bias.tile_rows() != 1 || bias.shape().last() != shape.last())
        {
            let wide = shape.last().copied().unwrap_or(1);
            return refuse(format!(
                "the bias has the shape {:?}, must be one row of {wide}, as wide as the result",
                bias.shape()
            ));
        }
        Ok(Operands { a, b, bias: options.bias, c, activation: options.activation })
    }
}

/// `c = activation(a * b + bias)` over the cores of `grid`.
pub fn program<A: Element, B: Element, C: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    a: &Tensor<A>,
    b: &Tensor<B>,
    c: &Tensor<C>,
    options: &Options<'_, C>,
) -> ttl::Result<Program> {
    let operands = Operands::new(a, b, c, options)?;
    let plan = plan::plan(grid, &config, &operands, options)?;
    Ok(build::build(&operands, config, &plan))
}

/// What [`program`] would do: strategy, blocks, cores, L1.
pub fn plan<A: Element, B: Element, C: Element>(
    grid: &CoreSet,
    config: &ComputeConfig,
    a: &Tensor<A>,
    b: &Tensor<B>,
    c: &Tensor<C>,
    options: &Options<'_, C>,
) -> ttl::Result<Plan> {
    plan::plan(grid, config, &Operands::new(a, b, c, options)?, options)
}

/// The shape of `a * b`, or why there is none.
pub fn result_shape<A: Element, B: Element>(a: &Tensor<A>, b: &Tensor<B>) -> ttl::Result<Vec<usize>> {
    let refuse = |why: String| Err(ttl::Error::Other(why));
    match (a.shape(), b.shape()) {
        (&[ref rows @ .., k], &[inner, n]) if k == inner && !rows.is_empty() => {
            Ok(rows.iter().copied().chain([n]).collect())
        }
        (a, b) if b.len() != 2 => refuse(format!(
            "the shapes {a:?} and {b:?} cannot be multiplied: the second must be one matrix [k, n], the same for every matrix of the first"
        )),
        (a, b) if a.len() < 2 => refuse(format!(
            "the shapes {a:?} and {b:?} cannot be multiplied: the first must be a matrix [m, k], or several"
        )),
        (a, b) => refuse(format!(
            "matrices of shapes {a:?} and {b:?} cannot be multiplied: the columns of the first must be the rows of the second"
        )),
    }
}
