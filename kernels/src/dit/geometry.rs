//! Where the weights of an operation lie in a bank, as the kernels compute it from the offsets table.
//!
//! Device functions: kernels and host call the same ones. The arena is laid out by code of its own ([`ArenaLayout`](super::ArenaLayout)),
//! and `check_kernel_geometry` compares the two.
//!
//! A page holds as many tiles as there are banks B. A core's share of an operation is `pages_core` pages: K-block after K-block, `ct` pages
//! each, the tiles of a K-block row-major with N fastest. Shares of a bank follow each other core by core (direct), or K-block by K-block
//! over all cores (relay), so that a reader may walk the bank from end to end.

use super::core_set::CoreSet;
use super::op::{Op, TailOp};

/// The share of a block's operation that one core streams.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpGeom {
    /// The operation.
    pub op: Op,
    /// Tiles of K, of N, and column tiles of one core.
    pub kt: u32,
    /// Column tiles of all cores.
    pub nt: u32,
    /// Column tiles of one core.
    pub ct: u32,
    /// The cores that have a share.
    pub set: CoreSet,
    /// Cores that share the bank.
    pub per_bank: u32,
    /// Pages of one core.
    pub pages_core: u32,
    /// Byte offset of the operation in its bank.
    pub off_bank: u32,
    /// Row of bias_rows.
    pub bias_row: u32,
    /// GELU is applied.
    pub gelu: bool,
}

#[ttl::device]
impl OpGeom {
    /// Cores that take part.
    pub fn cores(&self) -> u32 {
        self.nt / self.ct
    }

    /// K-blocks of a core.
    pub fn k_blocks(&self) -> u32 {
        self.pages_core / self.ct
    }

    /// Pages of all cores of a bank.
    pub fn pages_bank(&self) -> u32 {
        self.per_bank * self.pages_core
    }

    /// Direct order: the first page of the core with `rank`, counted from the operation's first; the others follow it.
    pub fn direct_page(&self, rank: u32) -> u32 {
        rank * self.pages_core
    }

    /// Relay order: where page `page` of the core with `rank` lies, counted from the operation's first.
    pub fn relay_page(&self, rank: u32, page: u32) -> u32 {
        (page / self.ct * self.per_bank + rank) * self.ct + page % self.ct
    }

    /// Relay order, the inverse: the rank of the core that page `m` of the bank belongs to.
    pub fn relay_rank(&self, m: u32) -> u32 {
        m / self.ct % self.per_bank
    }
}

/// The geometry of an operation of a block, whose words of the offsets table are `off_first_op` and `bias_row_base`.
#[ttl::device]
pub fn op_geom(banks: u32, tile_bytes: u32, off_first_op: u32, bias_row_base: u32, cross: bool, op: Op) -> OpGeom {
    let mut off_bank = off_first_op;
    for j in 0..op as u32 {
        off_bank += op_bytes_bank(banks, tile_bytes, cross, Op::from_index(j));
    }
    let set = op.core_set(cross);
    OpGeom {
        op,
        kt: op.k_tiles(banks),
        nt: op.n_tiles(banks, cross),
        ct: op.ct(),
        set,
        per_bank: set.per_bank(),
        pages_core: op.pages_per_core(),
        off_bank,
        bias_row: bias_row_base + op as u32,
        gelu: op.has_gelu(),
    }
}

/// Bytes of an operation in each bank.
#[ttl::device]
pub fn op_bytes_bank(banks: u32, tile_bytes: u32, cross: bool, op: Op) -> u32 {
    op.core_set(cross).per_bank() * op.k_tiles(banks) * op.ct() * tile_bytes
}

/// The share of a tail operation that one core reads at once: `tiles` tiles, row-major.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TailGeom {
    /// The operation.
    pub op: TailOp,
    /// Byte offset of the operation in its bank of the small stream.
    pub off_bank: u32,
    /// K tiles and column tiles of one core.
    pub kt: u32,
    /// Column tiles of one core.
    pub nt_w: u32,
    /// Tiles of the share.
    pub tiles: u32,
    /// The cores that have a share.
    pub set: CoreSet,
    /// Row of bias_rows, or [`NO_BIAS`](super::op::NO_BIAS).
    pub bias_row: u32,
}

/// The geometry of a tail operation, whose word of the offsets table is `off_bank`.
#[ttl::device]
pub fn tail_geom(banks: u32, nt_a: u32, off_bank: u32, bias_row_base: u32, op: TailOp) -> TailGeom {
    let bias = op.bias();
    TailGeom {
        op,
        off_bank,
        kt: op.k_tiles(banks, nt_a),
        nt_w: op.nt_w(nt_a),
        tiles: op.tiles_per_core(banks, nt_a),
        set: op.core_set(),
        bias_row: if bias == super::op::NO_BIAS { bias } else { bias_row_base + bias },
    }
}

/// Key chunks of 64 rows that a cross block with `l_pad` padded keys takes; `l_pad` is a multiple of 32, so half a chunk rounds up.
#[ttl::device]
pub fn key_chunks(l_pad: u32) -> u32 {
    (l_pad + super::consts::KEY_CHUNK / 2) / super::consts::KEY_CHUNK
}

/// Whether the heads of a cross block are split over three cores each.
#[ttl::device]
pub fn is_split(cross: bool, l_pad: u32) -> bool {
    cross && key_chunks(l_pad) >= super::consts::K4_SPLIT_MIN_CHUNKS
}
