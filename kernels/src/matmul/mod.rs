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
//! **Numbers.** `a`, `bias` and `c` are bf16; `b` is bf16, f32 (multiplied as tf32) or block floats. With `fp32_dest_acc` sums are f32 from the first
//! product to the activation, wherever they are kept in between; without it they are rounded to bf16 after each product of tiles.
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
//! **L1 of a core**, in tiles: `2mk` of `a`, `2kn` of `b`, `n + 1` for a bias, `mn` of `c` (two sub-blocks at least), `mn` of f32 for sums; of a chain two sub-blocks of
//! f32 for each of two buffers. Blocks are chosen within [`Options::l1`].
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
    #[default]
    None,
    Relu,
    /// By the error function.
    Gelu,
    /// The approximation by tanh.
    GeluTanh,
    Silu,
    Sigmoid,
    Tanh,
}

/// How cores share the work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
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
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'t> {
    /// A row that is added to each row of the product.
    pub bias: Option<&'t Tensor<bf16>>,
    /// What is applied to each element of the sum.
    pub activation: Activation,
    /// How cores share the work.
    pub strategy: Strategy,
    /// Block sizes, in place of chosen ones.
    pub blocks: Option<Blocks>,
    /// Bytes of L1 that the buffers of a core may take; [`Options::L1`] if not given.
    pub l1: Option<u64>,
}

impl Options<'_> {
    /// 1 MiB: on both chips it leaves 300 KiB for tensors in L1.
    pub const L1: u64 = 1 << 20;
}

/// The tensors of a product.
pub(crate) struct Operands<'t, B> {
    pub a: &'t Tensor<bf16>,
    pub b: &'t Tensor<B>,
    pub bias: Option<&'t Tensor<bf16>>,
    pub c: &'t Tensor<bf16>,
    pub activation: Activation,
}

impl<'t, B: Element> Operands<'t, B> {
    fn new(
        a: &'t Tensor<bf16>,
        b: &'t Tensor<B>,
        c: &'t Tensor<bf16>,
        options: &Options<'t>,
    ) -> ttl::Result<Operands<'t, B>> {
        let refuse = |why: String| Err(ttl::Error::Other(format!("matmul: {why}")));
        let shape = result_shape(a, b)?;
        if B::FORMAT.is_integer() {
            return refuse(format!("`b` is {}, and the matrix unit multiplies bf16, f32 and block floats", B::FORMAT));
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
pub fn program<B: Element>(
    grid: &CoreSet,
    config: ComputeConfig,
    a: &Tensor<bf16>,
    b: &Tensor<B>,
    c: &Tensor<bf16>,
    options: &Options<'_>,
) -> ttl::Result<Program> {
    let operands = Operands::new(a, b, c, options)?;
    let plan = plan::plan(grid, &config, &operands, options)?;
    Ok(build::build(&operands, config, &plan))
}

/// What [`program`] would do: strategy, blocks, cores, L1.
pub fn plan<B: Element>(
    grid: &CoreSet,
    config: &ComputeConfig,
    a: &Tensor<bf16>,
    b: &Tensor<B>,
    c: &Tensor<bf16>,
    options: &Options<'_>,
) -> ttl::Result<Plan> {
    plan::plan(grid, config, &Operands::new(a, b, c, options)?, options)
}

/// The shape of `a * b`, or why there is none.
pub fn result_shape<A: Element, B: Element>(a: &Tensor<A>, b: &Tensor<B>) -> ttl::Result<Vec<usize>> {
    match (a.shape(), b.shape()) {
        (&[ref rows @ .., k], &[inner, n]) if k == inner && !rows.is_empty() => {
            Ok(rows.iter().copied().chain([n]).collect())
        }
        (a, b) => Err(ttl::Error::Other(format!(
            "matrices of shapes {a:?} and {b:?} cannot be multiplied: the columns of the first must be the rows of the second"
        ))),
    }
}
