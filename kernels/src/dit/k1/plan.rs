//! What the kernels of one launch agree on: the words of the launch, the sequence of operations, the rounds of a block.
//!
//! In chain mode a block has nine rounds: the heads' queries, the output of Wo, the six chunks of ff1, the output of ff2. Each gathers the
//! contributions of some cores in the hub's a_rep and multicasts them into everyone's. Rounds are numbered from 1 over the whole launch.

use crate::dit::consts::N_CHUNKS;
use crate::dit::core_set::CoreSet;
use crate::dit::geometry::{OpGeom, op_geom};
use crate::dit::offsets::{B_BIAS_ROW_BASE, B_FLAGS, B_OFF_FIRST_OP, block_word, flags_cross};
use crate::dit::op::Op;
use ttl::prelude::*;

/// The words of a launch, which all kernels get.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// 0 chain, 1 single, 2 stream: [`K1Mode`](crate::dit::K1Mode).
    pub mode: u32,
    /// The operation of single mode.
    pub single_op: u32,
    /// The first block.
    pub blk_first: u32,
    /// How many blocks.
    pub n_blk: u32,
    /// How often all of it.
    pub n_iters: u32,
    /// Tiles of x_rep: two rows.
    pub x_tiles: u32,
    /// Outputs of single and stream mode are taken away by the core that made them; without it the only one stays.
    pub pop_mm: bool,
}

/// What is constant in a program: the compile-time names of every kernel, all of them or none.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constants {
    /// Banks of the arena, which every size scales with: B.
    pub banks: u32,
    /// Tiles of the arena in each bank.
    pub bank_tiles: u32,
    /// Pages of the weight ring of a compute core, and of a reader's.
    pub ring_pages: u32,
    /// Pages of the ring of a reader.
    pub relay_pages: u32,
    /// Reads under way per ring, and writes under way per reader.
    pub ring_depth: u32,
    /// Writes under way per reader.
    pub relay_window: u32,
    /// Cores that a multicast reaches: all but the hub.
    pub receivers: u32,
    /// Quarters of every multicast that go over NoC 1.
    pub mcast_split: u32,
    /// The rule of the protocol that is left out, for tests: [`rules`].
    pub left_out: u32,
}

/// [`Run::mode`]: the operations of blocks, each from what the one before made.
pub const CHAIN: u32 = 0;
/// [`Run::mode`]: one operation.
pub const SINGLE: u32 = 1;

#[ttl::device]
impl Run {
    /// Whether results go from operation to operation.
    pub fn is_chain(&self) -> bool {
        self.mode == CHAIN
    }

    /// Block visits of the launch.
    pub fn visits(&self) -> u32 {
        self.n_iters * self.n_blk
    }

    /// The block of a visit.
    pub fn blk(&self, visit: u32) -> u32 {
        self.blk_first + visit % self.n_blk
    }

    /// Whether the visit takes its input from x_rep, not from the block before.
    #[allow(clippy::manual_is_multiple_of)] // device code has operators only
    pub fn from_x(&self, visit: u32) -> bool {
        visit % self.n_blk == 0
    }

    /// The operations of a block: `first_op..end_op`.
    pub fn first_op(&self) -> u32 {
        if self.mode == SINGLE { self.single_op } else { 0 }
    }

    /// One behind the last operation of a block.
    pub fn end_op(&self) -> u32 {
        if self.mode == SINGLE { self.single_op + 1 } else { 4 }
    }
}

/// Whether a block attends to the vision-language tokens: its first operation makes queries only.
#[ttl::device]
pub fn is_cross(table: &CommonWords, blk: u32) -> bool {
    flags_cross(table.get(block_word(blk, B_FLAGS)))
}

/// The geometry of operation `j` of a block.
#[ttl::device]
pub fn geometry(table: &CommonWords, banks: u32, tile_bytes: u32, blk: u32, j: u32) -> OpGeom {
    let first = table.get(block_word(blk, B_OFF_FIRST_OP));
    let bias = table.get(block_word(blk, B_BIAS_ROW_BASE));
    op_geom(banks, tile_bytes, first, bias, is_cross(table, blk), Op::from_index(j))
}

/// The cores of operation `j` of a block.
#[ttl::device]
pub fn op_cores(table: &CommonWords, blk: u32, j: u32) -> CoreSet {
    Op::from_index(j).core_set(is_cross(table, blk))
}

/// Rounds of a block, and their places in it.
pub const ROUNDS: u32 = 3 + N_CHUNKS;
/// The heads' queries.
pub const ROUND_Q: u32 = 1;
/// The output of Wo.
pub const ROUND_O: u32 = 2;
/// The first chunk of ff1.
pub const ROUND_CHUNK: u32 = 3;
/// The output of ff2.
pub const ROUND_G: u32 = 3 + N_CHUNKS;

/// The pages of a_rep that round `round` (1 to 9) of a block fills: the first, and how many.
#[ttl::device]
#[allow(clippy::manual_range_contains)] // device code has no ranges but those of loops
pub fn round_pages(banks: u32, round: u32) -> (u32, u32) {
    if round == ROUND_Q {
        // Four tiles of each head.
        (0, 16 * banks)
    } else if round >= ROUND_CHUNK && round < ROUND_G {
        (half_of(round - ROUND_CHUNK) * 8 * banks, 8 * banks)
    } else {
        // Two tiles of every even core.
        (0, 12 * banks)
    }
}

/// Pages of a_rep, and of the half that a chunk fills.
#[ttl::device]
pub fn a_pages(banks: u32) -> u32 {
    16 * banks
}

/// Odd chunks are apart from everything else: in the second half of a_rep, counted by semaphores of their own.
#[ttl::device]
pub fn half_of(chunk: u32) -> u32 {
    chunk % 2
}

/// Cores that contribute to one chunk, and the chunk of core `c`.
#[ttl::device]
pub fn chunk_cores(banks: u32) -> u32 {
    2 * banks
}

/// The chunk that core `c` contributes to.
#[ttl::device]
pub fn chunk_of(banks: u32, c: u32) -> u32 {
    c / chunk_cores(banks)
}

/// The rules of the protocol, each of which can be left out to see the tests fail. 0 leaves out none.
pub mod rules {
    /// ff1's input is in use until every core has finished ff1: the hub waits for all of them before the first chunk.
    pub const FF1_INPUT: u32 = 1;
    /// Chunk i + 2 takes the place of chunk i: the hub waits until every even core has consumed that.
    pub const CHUNK_INPUT: u32 = 2;
    /// A core contributes to chunk i >= 2 only when round i - 2 has left the hub, which gathers both in the same place.
    pub const CHUNK_LEFT: u32 = 3;
    /// That wait must not hold up the core's own work.
    pub const CHUNK_WAIT: u32 = 4;
    /// The queries of a self block take the place of its input, which the cores of keys and values may still read.
    pub const SELF_INPUT: u32 = 5;
    /// Contributions to odd chunks are counted apart: a fast core's of chunk i + 1 must not pass for a slow one's of chunk i.
    pub const TWO_GATHERS: u32 = 6;
}
