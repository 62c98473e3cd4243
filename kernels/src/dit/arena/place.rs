//! Where operations come to lie: one behind the other in every bank.

use super::ArenaOptions;
use super::op::{ArenaOp, ArenaPart, Split};
use crate::dit::config::DitConfig;
use crate::dit::consts::{BF16_TILE, TILE};
use crate::dit::core_set::CoreSet;
use crate::dit::error::{MegakernelError, Result};

/// Puts operations behind each other.
pub(super) struct Place<'a> {
    pub(super) cfg: &'a DitConfig,
    pub(super) options: &'a ArenaOptions,
    pub(super) part: ArenaPart,
    pub(super) offset: u64,
}

impl Place<'_> {
    /// A matrix of `k` x `n` elements of which every core of the set takes as many columns.
    pub(super) fn columns(
        &mut self,
        name: &'static str,
        blk: Option<u32>,
        k: u32,
        n: u32,
        set: CoreSet,
    ) -> Result<ArenaOp> {
        let n_tiles = n / TILE;
        let cores = set.members(self.cfg.banks).count() as u32;
        self.add(name, blk, [k / TILE, n_tiles], [k / TILE, n_tiles / cores], Split::N, set)
    }

    /// A matrix of which every core takes as many rows.
    pub(super) fn rows(&mut self, name: &'static str, k: u32, n: u32, set: CoreSet) -> Result<ArenaOp> {
        let cores = set.members(self.cfg.banks).count() as u32;
        self.add(name, None, [k / TILE, n / TILE], [k / TILE / cores, n / TILE], Split::K, set)
    }

    fn add(
        &mut self,
        name: &'static str,
        blk: Option<u32>,
        [k_tiles, n_tiles]: [u32; 2],
        [k_tiles_per_core, n_tiles_per_core]: [u32; 2],
        split: Split,
        core_set: CoreSet,
    ) -> Result<ArenaOp> {
        let (k_block_tiles, tile_bytes) = match self.part {
            ArenaPart::Stream => (self.cfg.page_tiles(), self.options.dtype.tile_bytes()),
            ArenaPart::Small => (k_tiles_per_core, BF16_TILE),
        };
        let too_large = |bytes| MegakernelError::ArenaTooLarge { stream: self.part.name(), bytes };
        let op = ArenaOp {
            name,
            blk,
            part: self.part,
            k_tiles,
            n_tiles,
            k_tiles_per_core,
            n_tiles_per_core,
            split,
            core_set,
            cores: core_set.members(self.cfg.banks).count() as u32,
            k_block_tiles,
            tile_bytes,
            byte_offset: u32::try_from(self.offset).map_err(|_| too_large(self.offset))?,
            banks: self.cfg.banks,
            mode: self.options.reader_mode,
            order: self.options.tile_order,
        };
        self.offset += u64::from(op.bytes_per_bank());
        Ok(op)
    }
}
