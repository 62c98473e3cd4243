//! The operations whose weights are streamed: four of each block, six of the tail.

use super::core_set::CoreSet;
use super::error::{MegakernelError, Result};

/// A matrix product of a block. The discriminant is its index `j` in the stream of the block.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Op {
    /// Queries, keys and values; queries alone in a cross block.
    Qkv = 0,
    /// The output projection of attention.
    Wo = 1,
    /// The first feed-forward product, with GELU.
    Ff1 = 2,
    /// The second feed-forward product.
    Ff2 = 3,
}

#[ttl::device]
impl Op {
    /// The operation with index `j`, which must be below 4.
    pub fn from_index(j: u32) -> Op {
        match j {
            0 => Op::Qkv,
            1 => Op::Wo,
            2 => Op::Ff1,
            _ => Op::Ff2,
        }
    }

    /// Tiles of K.
    pub fn k_tiles(self, banks: u32) -> u32 {
        match self {
            Op::Qkv => 6 * banks,
            Op::Wo => 8 * banks,
            Op::Ff1 => 6 * banks,
            Op::Ff2 => 24 * banks,
        }
    }

    /// Tiles of N.
    pub fn n_tiles(self, banks: u32, cross: bool) -> u32 {
        match self {
            Op::Qkv => {
                if cross {
                    8 * banks
                } else {
                    24 * banks
                }
            }
            Op::Wo => 6 * banks,
            Op::Ff1 => 24 * banks,
            Op::Ff2 => 6 * banks,
        }
    }

    /// The cores that take part.
    pub fn core_set(self, cross: bool) -> CoreSet {
        match self {
            Op::Qkv => {
                if cross {
                    CoreSet::First
                } else {
                    CoreSet::All
                }
            }
            Op::Ff1 => CoreSet::All,
            _ => CoreSet::Even,
        }
    }

    /// Column tiles of a core, which is also the pages of a K-block.
    pub fn ct(self) -> u32 {
        match self {
            Op::Qkv => 2,
            Op::Ff1 => 2,
            _ => 1,
        }
    }

    /// K-blocks: a K-block is as many K tiles as a page has tiles, so their number does not depend on the banks.
    pub fn k_blocks(self) -> u32 {
        self.k_tiles(1)
    }

    /// Pages of the weights of one core.
    pub fn pages_per_core(self) -> u32 {
        self.k_blocks() * self.ct()
    }

    /// Whether GELU follows the bias.
    pub fn has_gelu(self) -> bool {
        self == Op::Ff1
    }
}

impl Op {
    /// All, in order.
    pub const OPS: [Op; 4] = [Op::Qkv, Op::Wo, Op::Ff1, Op::Ff2];

    /// Its number in a block.
    pub const fn index(self) -> u32 {
        self as u32
    }

    /// As errors and tensors call it.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Qkv => "qkv",
            Op::Wo => "Wo",
            Op::Ff1 => "ff1",
            Op::Ff2 => "ff2",
        }
    }

    /// The one of this name; an error if there is none.
    pub fn from_name(name: &str) -> Result<Op> {
        Op::OPS
            .into_iter()
            .find(|op| op.name() == name)
            .ok_or_else(|| MegakernelError::UnknownOp { name: name.to_owned() })
    }

    /// [`Op::from_index`] of an index that must exist.
    pub fn at(j: u32) -> Result<Op> {
        if j < 4 { Ok(Op::from_index(j)) } else { Err(MegakernelError::OpIndex { j }) }
    }
}

/// A matrix product of the output head, the action decoder or the action encoder.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TailOp {
    /// The output projection.
    ProjOut2 = 0,
    /// With ReLU.
    DecW1 = 1,
    /// K is split over the leads.
    DecW2 = 2,
    /// The first layer of the action encoder.
    EncW1 = 3,
    /// With swish.
    EncW2a = 4,
    /// The third layer of the action encoder.
    EncW3 = 5,
}

#[ttl::device]
impl TailOp {
    /// The operation with an index, which must be below 6.
    pub fn from_index(index: u32) -> TailOp {
        match index {
            0 => TailOp::ProjOut2,
            1 => TailOp::DecW1,
            2 => TailOp::DecW2,
            3 => TailOp::EncW1,
            4 => TailOp::EncW2a,
            _ => TailOp::EncW3,
        }
    }

    /// K tiles of one core. `nt_a` is the width of the actions in tiles.
    pub fn k_tiles(self, banks: u32, nt_a: u32) -> u32 {
        match self {
            TailOp::DecW1 => 4 * banks,
            // 4B tiles over B leads.
            TailOp::DecW2 => 4,
            TailOp::EncW1 => nt_a,
            _ => 6 * banks,
        }
    }

    /// Column tiles of one core.
    pub fn nt_w(self, nt_a: u32) -> u32 {
        if self == TailOp::DecW2 { nt_a } else { 1 }
    }

    /// Tiles of one core.
    pub fn tiles_per_core(self, banks: u32, nt_a: u32) -> u32 {
        self.k_tiles(banks, nt_a) * self.nt_w(nt_a)
    }

    /// The cores that take part.
    pub fn core_set(self) -> CoreSet {
        match self {
            TailOp::ProjOut2 => CoreSet::First,
            TailOp::DecW1 => CoreSet::First,
            TailOp::DecW2 => CoreSet::Leads,
            _ => CoreSet::Even,
        }
    }

    /// Which row of bias_rows the kernel adds, counted from the first of the tail; [`NO_BIAS`] where the bias comes from another table or
    /// is added after a reduction.
    pub fn bias(self) -> u32 {
        match self {
            TailOp::ProjOut2 => 0,
            TailOp::DecW1 => 1,
            TailOp::EncW1 => 3,
            _ => NO_BIAS,
        }
    }
}

/// [`TailOp::bias`] of an operation to which the kernel of its cores adds none.
pub const NO_BIAS: u32 = 0xFFFF_FFFF;
/// The row of bias_rows, counted from the first of the tail, that the hub adds to the sum of the parts of dec_W2.
pub const DEC_W2_BIAS: u32 = 2;

impl TailOp {
    /// All, in order.
    pub const OPS: [TailOp; 6] =
        [TailOp::ProjOut2, TailOp::DecW1, TailOp::DecW2, TailOp::EncW1, TailOp::EncW2a, TailOp::EncW3];

    /// Its number in the tail.
    pub const fn index(self) -> u32 {
        self as u32
    }

    /// As errors and tensors call it.
    pub const fn name(self) -> &'static str {
        match self {
            TailOp::ProjOut2 => "proj_out_2",
            TailOp::DecW1 => "dec_W1",
            TailOp::DecW2 => "dec_W2",
            TailOp::EncW1 => "enc_W1",
            TailOp::EncW2a => "enc_W2a",
            TailOp::EncW3 => "enc_W3",
        }
    }

    /// The one of this name; an error if there is none.
    pub fn from_name(name: &str) -> Result<TailOp> {
        TailOp::OPS
            .into_iter()
            .find(|op| op.name() == name)
            .ok_or_else(|| MegakernelError::UnknownTailOp { name: name.to_owned() })
    }
}

/// Where tile (r, n) of a gathered matrix of 64 rows lies in a_rep.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum In0Order {
    /// Pieces of one tile, row by row.
    RowMajor,
    /// Pieces of 2 x 2 tiles.
    Pairs,
    /// Pieces of one column.
    Single,
    /// Row by row, K taken modulo the columns: products whose K is wider than what is there.
    RowMajorWrap,
}

#[ttl::device]
impl In0Order {
    /// The page of tile (r, n) of a matrix of `columns` column tiles.
    pub fn page_of(self, r: u32, n: u32, columns: u32) -> u32 {
        match self {
            In0Order::RowMajor => r * columns + n,
            In0Order::Pairs => 4 * (n / 2) + 2 * r + n % 2,
            In0Order::Single => 2 * n + r,
            In0Order::RowMajorWrap => r * columns + n % columns,
        }
    }
}

impl In0Order {
    /// Every order.
    pub const ORDERS: [In0Order; 4] = [In0Order::RowMajor, In0Order::Pairs, In0Order::Single, In0Order::RowMajorWrap];

    /// As reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            In0Order::RowMajor => "RowMajor",
            In0Order::Pairs => "Pairs",
            In0Order::Single => "Single",
            In0Order::RowMajorWrap => "RowMajorWrap",
        }
    }
}

/// What a launch of the matmul-only program does.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum K1Mode {
    /// The four operations of each block with their gathers.
    Chain = 0,
    /// One operation.
    Single = 1,
    /// The four operations of each block without gathers: the pure weight stream.
    Stream = 2,
}

impl K1Mode {
    /// All of them.
    pub const MODES: [K1Mode; 3] = [K1Mode::Chain, K1Mode::Single, K1Mode::Stream];

    /// As errors call it.
    pub const fn name(self) -> &'static str {
        match self {
            K1Mode::Chain => "chain",
            K1Mode::Single => "single",
            K1Mode::Stream => "stream",
        }
    }
}
