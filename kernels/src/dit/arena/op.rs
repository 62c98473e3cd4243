//! An operation in the arena: its matrix, the slice of each core, and where the tiles of both lie in a bank.

use std::fmt;

use crate::dit::config::ReaderMode;
use crate::dit::core_set::CoreSet;
use crate::dit::error::Result;

/// The two streams of the arena, each sharded over the banks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArenaPart {
    /// The weights of the blocks.
    Stream,
    /// The weights of the tail, bf16.
    Small,
}

impl ArenaPart {
    /// As errors call it.
    pub const fn name(self) -> &'static str {
        match self {
            ArenaPart::Stream => "stream",
            ArenaPart::Small => "small",
        }
    }
}

/// The order of tiles in a core's slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TileOrder {
    /// N fastest: what a blocked product consumes, and the only one that the kernels take.
    #[default]
    RowMajor,
    /// K fastest.
    ColumnMajor,
}

impl fmt::Display for TileOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Which dimension of a matrix is divided among the cores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// Columns: each core makes its own columns of the result.
    N,
    /// Rows: each core makes a part of every sum.
    K,
}

/// An operation in the arena.
#[derive(Clone, PartialEq, Debug)]
pub struct ArenaOp {
    /// The operation's name: qkv, Wo, ff1, ff2, or a matrix of the tail.
    pub name: &'static str,
    /// Its block; none for the tail.
    pub blk: Option<u32>,
    /// The stream that it lies in.
    pub part: ArenaPart,
    /// The whole matrix, in tiles.
    pub k_tiles: u32,
    /// Columns of tiles.
    pub n_tiles: u32,
    /// The slice of one core.
    pub k_tiles_per_core: u32,
    /// Columns of tiles of the slice.
    pub n_tiles_per_core: u32,
    /// Which dimension the cores divide.
    pub split: Split,
    /// The cores that have slices.
    pub core_set: CoreSet,
    /// How many these are.
    pub cores: u32,
    /// K tiles of a unit: a K-block of the stream, the whole slice in the tail.
    pub k_block_tiles: u32,
    /// Bytes of a tile.
    pub tile_bytes: u32,
    /// In every bank.
    pub byte_offset: u32,
    pub(super) banks: u32,
    pub(super) mode: ReaderMode,
    pub(super) order: TileOrder,
}

impl ArenaOp {
    /// Tiles of the slice of one core.
    pub const fn tiles_per_core(&self) -> u32 {
        self.k_tiles_per_core * self.n_tiles_per_core
    }

    /// Bytes of a unit.
    pub const fn k_block_bytes(&self) -> u32 {
        self.k_block_tiles * self.n_tiles_per_core * self.tile_bytes
    }

    /// Units of the slice of one core.
    pub const fn n_k_blocks(&self) -> u32 {
        self.k_tiles_per_core / self.k_block_tiles
    }

    /// The members of the set in the order of their slices in a bank.
    pub fn cores_in_bank(&self, bank: u32) -> Vec<u32> {
        let rows = 0..3;
        let cores = rows.flat_map(|row| (0..4).map(move |col| (row, col)));
        cores
            .map(|(row, col)| 4 * self.banks * row + 4 * bank + col)
            .filter(|&c| self.core_set.participates(self.banks, c))
            .collect()
    }

    /// Bytes in every bank.
    pub fn bytes_per_bank(&self) -> u32 {
        self.tiles_per_core() * self.tile_bytes * self.cores / self.banks
    }

    /// The units of a bank in the order in which they lie there: K-block, and which of [`ArenaOp::cores_in_bank`].
    pub fn bank_stream_slots(&self) -> Vec<(u32, u32)> {
        let (blocks, cores) = (self.n_k_blocks(), self.cores / self.banks);
        match self.mode {
            ReaderMode::Relay => (0..blocks).flat_map(|kb| (0..cores).map(move |p| (kb, p))).collect(),
            ReaderMode::Direct => (0..cores).flat_map(|p| (0..blocks).map(move |kb| (kb, p))).collect(),
        }
    }

    /// The tiles (k, n) of the matrix in K-block `kb` of the core with a slot, in order.
    pub fn tiles_of(&self, kb: u32, slot: u32) -> Vec<(u32, u32)> {
        let (k0, n0) = match self.split {
            Split::N => (0, slot * self.n_tiles_per_core),
            Split::K => (slot * self.k_tiles_per_core, 0),
        };
        let first = k0 + kb * self.k_block_tiles;
        let (k, n) = (first..first + self.k_block_tiles, n0..n0 + self.n_tiles_per_core);
        match self.order {
            TileOrder::RowMajor => k.flat_map(|k| n.clone().map(move |n| (k, n))).collect(),
            TileOrder::ColumnMajor => n.flat_map(|n| k.clone().map(move |k| (k, n))).collect(),
        }
    }

    /// The tiles of a bank, in order.
    pub fn bank_tiles(&self, bank: u32) -> Result<Vec<(u32, u32)>> {
        let cores = self.cores_in_bank(bank);
        let mut tiles = Vec::new();
        for (kb, p) in self.bank_stream_slots() {
            let slot = self.core_set.slot_of(self.banks, cores[p as usize])?;
            tiles.extend(self.tiles_of(kb, slot));
        }
        Ok(tiles)
    }
}
