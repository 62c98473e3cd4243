//! What can be wrong with a tensor.

use thiserror::Error;

use super::accessor::AccessorError;
use super::format::DataFormat;

/// A shape as people write it: `[32, 64]`.
pub(super) fn shape_text(shape: &[usize]) -> String {
    format!("{shape:?}")
}

/// The enumerator of [`DataFormat`] in Rust.
const fn variant(format: DataFormat) -> &'static str {
    match format {
        DataFormat::Bf16 => "Bf16",
        DataFormat::F32 | DataFormat::Bfp8B | DataFormat::Bfp4B => "F32",
        DataFormat::U32 => "U32",
        DataFormat::I32 => "I32",
        DataFormat::U16 => "U16",
        DataFormat::U8 => "U8",
    }
}

fn conversion(to: DataFormat) -> String {
    let how = if to.is_integer() { "cuts off towards zero and saturates" } else { "rounds to nearest" };
    format!("`to_format(DataFormat::{})` {how}", variant(to))
}

/// A mistake in a tensor's shape, contents or placement.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum TensorError {
    #[error("a tensor needs at least one dimension\n  = help: a single value has the shape [1]")]
    NoDimensions,
    #[error("the tensor is empty: shape {} has a dimension of 0\n  = help: every dimension must be at least 1", shape_text(.shape))]
    Empty { shape: Vec<usize> },
    #[error("shape {} has more elements than a device can address\n  = help: split the tensor", shape_text(.shape))]
    TooManyElements { shape: Vec<usize> },
    #[error("{got} elements for a tensor of shape {}, which has {expected}\n  = help: give one for each element, or another shape", shape_text(.shape))]
    DataLength { shape: Vec<usize>, expected: usize, got: usize },
    #[error("{got} bytes for a tensor of shape {} in {format} {pages}, which takes {expected}\n  = help: give all pages, with their padding", shape_text(.shape))]
    ByteLength { shape: Vec<usize>, format: DataFormat, pages: &'static str, expected: usize, got: usize },
    #[error("{from} elements for a tensor of {to}\n  = help: convert them first, {}", conversion(*.to))]
    Conversion { from: DataFormat, to: DataFormat },
    #[error("element {index} is {value}, which {to} cannot hold\n  = help: use a wider format, or `to_format(DataFormat::{})`, which saturates", variant(*.to))]
    OutOfRange { index: usize, value: i64, to: DataFormat },
    #[error(
        "{format} exists in tiles only: 16 of its elements share an exponent\n  = help: leave the tensor tiled, or use bf16 rows"
    )]
    NoRows { format: DataFormat },
    #[error("the shapes differ: {} and {}\n  = help: give both the same shape", shape_text(.left), shape_text(.right))]
    ShapeMismatch { left: Vec<usize>, right: Vec<usize> },
    #[error("shard shape {}x{} does not consist of whole tiles\n  = help: both sides must be multiples of 32, and not 0", .shape[0], .shape[1])]
    ShardNotTiles { shape: [u32; 2] },
    #[error("shard shape {}x{} is empty\n  = help: both sides must be at least 1", .shape[0], .shape[1])]
    ShardEmpty { shape: [u32; 2] },
    #[error("a {layout}-sharded tensor of {}x{}{padded} needs shards of {need}, not {}x{}\n  = help: change the shape of the shards, or shard it another way", .tensor[0], .tensor[1], .shard[0], .shard[1])]
    ShardShape { layout: &'static str, tensor: [u64; 2], padded: &'static str, shard: [u32; 2], need: String },
    #[error(
        "the tensor has {pages} pages, more than 32 bits can count\n  = help: use longer rows, or split the tensor"
    )]
    TooManyPages { pages: u64 },
    #[error("a page of {bytes} bytes is too large\n  = help: use shorter rows")]
    PageTooLarge { bytes: u64 },
    #[error("{shards} shards of {}x{} do not fit {cores} cores ({on})\n  = help: use larger shards or more cores", .shard[0], .shard[1])]
    TooManyShards { shards: u64, shard: [u32; 2], cores: usize, on: String },
    #[error("block sharding needs a rectangle of cores, not {on}\n  = help: give it one `CoreRange`")]
    ShardCores { on: String },
    #[error("the shards lie on {on}, outside the grid of {}x{} cores\n  = help: take the grid from the device instead of fixing it", .grid.0, .grid.1)]
    ShardOutsideGrid { on: String, grid: (u32, u32) },
    #[error("the shards lie on banks {on}, but DRAM has the banks (0,0) to ({},0)\n  = help: a bank is named by (bank, 0)", .banks - 1)]
    ShardOutsideBanks { on: String, banks: u32 },
    #[error(transparent)]
    Accessor(#[from] AccessorError),
    #[error(
        "no room for a tensor of {bytes} bytes ({per_bank} in each of {banks} DRAM banks): {free} bytes of {capacity} are free in a bank, the largest piece has {largest}\n  = help: use a smaller tensor, or drop tensors that are no longer needed"
    )]
    OutOfDram { bytes: u64, per_bank: u64, banks: u32, free: u64, largest: u64, capacity: u64 },
    #[error(
        "no room for a tensor that takes {per_core} bytes of L1 in each core: {free} bytes of {capacity} are free, the largest piece has {largest}\n  = help: use a smaller tensor, spread it over more cores, or keep it in DRAM"
    )]
    OutOfL1 { per_core: u64, free: u64, largest: u64, capacity: u64 },
}
