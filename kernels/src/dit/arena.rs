//! The layout of the weight arena: where every tile of every operation lies in the banks.
//!
//! Written from the matrices (K, N, which core takes which columns), without the formulas of [`geometry`](super::geometry) that the kernels
//! use; [`check_kernel_geometry`](super::check_kernel_geometry) compares the two.

use std::collections::BTreeMap;
use std::fmt;

use super::config::{DitConfig, KeySet, ReaderMode, StreamDtype};
use super::consts::{BF16_TILE, TILE};
use super::core_set::CoreSet;
use super::error::{MegakernelError, Result};
use super::geometry::{is_split, key_chunks};
use super::offsets::{self, OffsetsTable};
use super::op::{Op, TailOp};
use super::plan::enumerate_plan;

/// The two streams of the arena, each sharded over the banks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArenaPart {
    /// The weights of the blocks.
    Stream,
    /// The weights of the tail, bf16.
    Small,
}

impl ArenaPart {
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
    ColumnMajor,
}

impl fmt::Display for TileOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// What can be chosen of an arena.
#[derive(Clone, PartialEq, Debug)]
pub struct ArenaOptions {
    pub dtype: StreamDtype,
    pub reader_mode: ReaderMode,
    pub tile_order: TileOrder,
    /// Padded number of keys of each key set.
    pub l_pad: BTreeMap<KeySet, u32>,
}

impl ArenaOptions {
    /// bf16 for direct readers, all key sets padded to `l_pad` keys.
    pub fn new(l_pad: u32) -> ArenaOptions {
        ArenaOptions {
            dtype: StreamDtype::Bf16,
            reader_mode: ReaderMode::Direct,
            tile_order: TileOrder::RowMajor,
            l_pad: KeySet::SETS.into_iter().map(|set| (set, l_pad)).collect(),
        }
    }

    pub fn dtype(self, dtype: StreamDtype) -> ArenaOptions {
        ArenaOptions { dtype, ..self }
    }

    pub fn reader_mode(self, reader_mode: ReaderMode) -> ArenaOptions {
        ArenaOptions { reader_mode, ..self }
    }
}

/// Which dimension of a matrix is divided among the cores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    N,
    K,
}

/// An operation in the arena.
#[derive(Clone, PartialEq, Debug)]
pub struct ArenaOp {
    pub name: &'static str,
    /// Its block; none for the tail.
    pub blk: Option<u32>,
    pub part: ArenaPart,
    /// The whole matrix, in tiles.
    pub k_tiles: u32,
    pub n_tiles: u32,
    /// The slice of one core.
    pub k_tiles_per_core: u32,
    pub n_tiles_per_core: u32,
    pub split: Split,
    pub core_set: CoreSet,
    pub cores: u32,
    /// K tiles of a unit: a K-block of the stream, the whole slice in the tail.
    pub k_block_tiles: u32,
    pub tile_bytes: u32,
    /// In every bank.
    pub byte_offset: u32,
    banks: u32,
    mode: ReaderMode,
    order: TileOrder,
}

impl ArenaOp {
    pub const fn tiles_per_core(&self) -> u32 {
        self.k_tiles_per_core * self.n_tiles_per_core
    }

    pub const fn k_block_bytes(&self) -> u32 {
        self.k_block_tiles * self.n_tiles_per_core * self.tile_bytes
    }

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

/// Where everything lies.
#[derive(Clone, PartialEq, Debug)]
pub struct ArenaLayout {
    cfg: DitConfig,
    options: ArenaOptions,
    /// Four of each block.
    blocks: Vec<[ArenaOp; 4]>,
    tail: [ArenaOp; 6],
    bytes: [u64; 2],
}

impl ArenaLayout {
    pub fn plan(cfg: &DitConfig, options: ArenaOptions) -> Result<ArenaLayout> {
        cfg.check()?;
        for set in cfg.key_sets() {
            let l_pad = *options.l_pad.get(&set).ok_or(MegakernelError::NoLPad { set: set.name() })?;
            // 16 bits of tiles in the flags of a block.
            let most = 0xFFFF * TILE;
            if l_pad == 0 || !l_pad.is_multiple_of(TILE) || l_pad > most {
                return Err(MegakernelError::LPad { set: set.name(), l_pad, most });
            }
        }
        let mut place = Place { cfg, options: &options, part: ArenaPart::Stream, offset: 0 };
        let (w, inner, f) = (cfg.width(), cfg.inner(), cfg.ff_dim());
        let mut blocks = Vec::new();
        for blk in 0..cfg.n_blocks {
            let blk_ = Some(blk);
            let qkv = if cfg.is_cross(blk) {
                place.columns("qkv", blk_, w, inner, CoreSet::First)?
            } else {
                place.columns("qkv", blk_, w, 3 * inner, CoreSet::All)?
            };
            blocks.push([
                qkv,
                place.columns("Wo", blk_, inner, w, CoreSet::Even)?,
                place.columns("ff1", blk_, w, f, CoreSet::All)?,
                place.columns("ff2", blk_, f, w, CoreSet::Even)?,
            ]);
        }
        let stream = place.offset;
        place = Place { part: ArenaPart::Small, offset: 0, ..place };
        let (o, d, a) = (cfg.out_dim(), cfg.hidden(), cfg.a_pad());
        let tail = [
            place.columns("proj_out_2", None, w, o, CoreSet::First)?,
            place.columns("dec_W1", None, o, d, CoreSet::First)?,
            place.rows("dec_W2", d, a, CoreSet::Leads)?,
            place.columns("enc_W1", None, a, w, CoreSet::Even)?,
            place.columns("enc_W2a", None, w, w, CoreSet::Even)?,
            place.columns("enc_W3", None, w, w, CoreSet::Even)?,
        ];
        let bytes = [stream, place.offset];
        Ok(ArenaLayout { cfg: cfg.clone(), options, blocks, tail, bytes })
    }

    pub const fn cfg(&self) -> &DitConfig {
        &self.cfg
    }

    pub const fn options(&self) -> &ArenaOptions {
        &self.options
    }

    pub const fn dtype_stream(&self) -> StreamDtype {
        self.options.dtype
    }

    pub const fn reader_mode(&self) -> ReaderMode {
        self.options.reader_mode
    }

    /// Bytes of a tile of a part.
    pub const fn tile_bytes(&self, part: ArenaPart) -> u32 {
        match part {
            ArenaPart::Stream => self.options.dtype.tile_bytes(),
            ArenaPart::Small => BF16_TILE,
        }
    }

    /// Bytes of a page of the weight stream.
    pub const fn page_bytes(&self) -> u32 {
        self.cfg.page_tiles() * self.tile_bytes(ArenaPart::Stream)
    }

    /// Padded number of keys of a cross block.
    pub fn l_pad(&self, blk: u32) -> Option<u32> {
        self.cfg.key_set(blk).and_then(|set| self.options.l_pad.get(&set)).copied()
    }

    /// Padded number of keys of a key set that the network uses.
    pub fn l_pad_of(&self, set: KeySet) -> Option<u32> {
        self.cfg.key_sets().contains(&set).then(|| self.options.l_pad.get(&set).copied()).flatten()
    }

    fn block(&self, blk: u32) -> Result<&[ArenaOp; 4]> {
        let n_blocks = self.cfg.n_blocks;
        self.blocks.get(blk as usize).ok_or(MegakernelError::NoBlock { blk, n_blocks })
    }

    pub fn op(&self, blk: u32, op: Op) -> Result<&ArenaOp> {
        Ok(&self.block(blk)?[op as usize])
    }

    pub const fn tail_op(&self, op: TailOp) -> &ArenaOp {
        &self.tail[op as usize]
    }

    pub fn ops_of_block(&self, blk: u32) -> Result<&[ArenaOp]> {
        Ok(self.block(blk)?)
    }

    /// All operations of a part, in the order of the arena.
    pub fn stream_ops(&self, part: ArenaPart) -> Vec<&ArenaOp> {
        match part {
            ArenaPart::Stream => self.blocks.iter().flatten().collect(),
            ArenaPart::Small => self.tail.iter().collect(),
        }
    }

    /// The largest K-block of the stream, in bytes.
    pub fn k_block_bytes_max(&self) -> u32 {
        self.blocks.iter().flatten().map(ArenaOp::k_block_bytes).max().unwrap_or(0)
    }

    pub fn is_cross(&self, blk: u32) -> bool {
        self.cfg.is_cross(blk)
    }

    /// Whether every head of a block is shared by three cores: a cross block with at least three chunks of 64 keys.
    pub fn is_split_block(&self, blk: u32) -> bool {
        is_split(self.is_cross(blk), self.l_pad(blk).unwrap_or(0))
    }

    /// Chunks of 64 keys of a cross block.
    pub fn key_chunks(&self, blk: u32) -> Option<u32> {
        self.l_pad(blk).map(key_chunks)
    }

    /// The row of bias_rows of an operation.
    pub fn bias_row(&self, blk: u32, op: Op) -> Result<u32> {
        self.block(blk)?;
        Ok(4 * blk + op.index())
    }

    /// The first row of bias_rows of the tail.
    pub const fn tail_bias_row_base(&self) -> u32 {
        4 * self.cfg.n_blocks
    }

    /// The row of bias_rows that the cores of a tail operation add; that of dec_W2, which the hub adds to the sum, is base + 2.
    pub const fn tail_bias_row(&self, op: TailOp) -> Option<u32> {
        let base = self.tail_bias_row_base();
        match op {
            TailOp::ProjOut2 => Some(base),
            TailOp::DecW1 => Some(base + 1),
            TailOp::EncW1 => Some(base + 3),
            _ => None,
        }
    }

    /// Rows of adaln_rows of one step: scale and shift of every block, then of the output head.
    pub const fn adaln_rows_per_step(&self) -> u32 {
        2 * (self.cfg.n_blocks + 1)
    }

    /// What a plan must have.
    pub fn required_plan_names(&self) -> Vec<String> {
        enumerate_plan(&self.cfg).into_keys().collect()
    }

    pub const fn bytes_per_bank(&self, part: ArenaPart) -> u64 {
        self.bytes[part as usize]
    }

    pub fn tiles_per_bank(&self, part: ArenaPart) -> u64 {
        self.bytes_per_bank(part) / u64::from(self.tile_bytes(part))
    }

    /// Bytes that the operations of some blocks take in all banks.
    pub fn stream_bytes(&self, blk: u32, n_blk: u32) -> Result<u64> {
        self.cfg.check_blocks(blk, n_blk)?;
        let ops = self.blocks[blk as usize..(blk + n_blk) as usize].iter().flatten();
        Ok(ops.map(|op| u64::from(op.bytes_per_bank()) * u64::from(self.cfg.banks)).sum())
    }

    /// Bytes of both parts in all banks: what one step reads.
    pub fn arena_bytes_per_step(&self) -> u64 {
        let per_bank: u64 = self.bytes.iter().sum();
        per_bank * u64::from(self.cfg.banks)
    }

    /// Seconds that one step takes at least, if DRAM gives so many bytes a second.
    pub fn floor_seconds(&self, bytes_per_second: f64) -> f64 {
        self.arena_bytes_per_step() as f64 / bytes_per_second
    }

    /// Bytes of the hoisted keys and values of a cross block; 0 of others.
    pub fn kv_bytes(&self, blk: u32) -> u64 {
        self.kv_shape(blk).map_or(0, |shape| 2 * 2 * shape.iter().product::<usize>() as u64)
    }

    /// What the kernels know of all this.
    pub fn offsets_table(&self) -> OffsetsTable {
        let tail = |op: TailOp| self.tail_op(op).byte_offset;
        let mut header = vec![offsets::LAYOUT_VERSION, self.cfg.n_blocks, self.adaln_rows_per_step()];
        header.extend(TailOp::OPS.map(tail));
        header.extend([self.tail_bias_row_base(), 2 * self.cfg.n_blocks]);
        let block = |blk: u32| {
            let set = self.cfg.key_set(blk);
            let (cross, l_pad) = (self.is_cross(blk), self.l_pad(blk).unwrap_or(0));
            let flags = offsets::block_flags(cross, set.map_or(0, |set| set as u32), l_pad);
            vec![self.blocks[blk as usize][0].byte_offset, 4 * blk, 2 * blk, flags]
        };
        OffsetsTable { header, blocks: (0..self.cfg.n_blocks).map(block).collect() }
    }
}

/// Puts operations behind each other.
struct Place<'a> {
    cfg: &'a DitConfig,
    options: &'a ArenaOptions,
    part: ArenaPart,
    offset: u64,
}

impl Place<'_> {
    /// A matrix of `k` x `n` elements of which every core of the set takes as many columns.
    fn columns(&mut self, name: &'static str, blk: Option<u32>, k: u32, n: u32, set: CoreSet) -> Result<ArenaOp> {
        let n_tiles = n / TILE;
        let cores = set.members(self.cfg.banks).count() as u32;
        self.add(name, blk, [k / TILE, n_tiles], [k / TILE, n_tiles / cores], Split::N, set)
    }

    /// A matrix of which every core takes as many rows.
    fn rows(&mut self, name: &'static str, k: u32, n: u32, set: CoreSet) -> Result<ArenaOp> {
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

#[cfg(test)]
mod tests {
    use super::super::check::{check_kernel_geometry, check_tail_geometry};
    use super::super::config::Version;
    use super::*;

    /// What the check is for: the arena in another page order than the kernels walk.
    #[test]
    fn item_160_another_page_order_is_found() {
        for banks in [1, 2] {
            let cfg = DitConfig::scaled(Version::N16, banks, 4).unwrap();
            for mode in [ReaderMode::Direct, ReaderMode::Relay] {
                let mut layout = ArenaLayout::plan(&cfg, ArenaOptions::new(64).reader_mode(mode)).unwrap();
                assert_eq!(check_kernel_geometry(&layout).unwrap(), 16);
                layout.options.reader_mode =
                    if mode == ReaderMode::Direct { ReaderMode::Relay } else { ReaderMode::Direct };
                let text = check_kernel_geometry(&layout).unwrap_err().to_string();
                assert!(text.starts_with("block 0 qkv: tile of a page"), "{text}");
                // A slice of the tail is one unit: both orders are the same.
                assert_eq!(check_tail_geometry(&layout).unwrap(), 6);
            }
        }
    }

    /// Every number that the check compares is compared: change one of the arena and it is named.
    #[test]
    fn item_081_every_field_is_compared() {
        let cfg = DitConfig::scaled(Version::N15, 2, 2).unwrap();
        let refused = |change: fn(&mut ArenaOp)| {
            let mut layout = ArenaLayout::plan(&cfg, ArenaOptions::new(64)).unwrap();
            change(&mut layout.blocks[1][2]);
            check_kernel_geometry(&layout).unwrap_err().to_string()
        };
        assert_eq!(refused(|op| op.k_tiles = 13), "block 1 ff1: K tiles is 12 for the kernel and 13 in the arena");
        assert_eq!(refused(|op| op.n_tiles = 49), "block 1 ff1: N tiles is 48 for the kernel and 49 in the arena");
        assert_eq!(
            refused(|op| op.n_tiles_per_core = 1),
            "block 1 ff1: column tiles of a core is 2 for the kernel and 1 in the arena"
        );
        assert_eq!(refused(|op| op.cores = 12), "block 1 ff1: cores is 24 for the kernel and 12 in the arena");
        assert_eq!(refused(|op| op.k_block_tiles = 1), "block 1 ff1: K-blocks is 6 for the kernel and 12 in the arena");
        assert_eq!(
            refused(|op| op.tile_bytes = 1088),
            "block 1 ff1: bytes of a core is 49152 for the kernel and 26112 in the arena"
        );
        assert_eq!(
            refused(|op| op.byte_offset += 2048),
            "block 1 ff1: offset is 2359296 for the kernel and 2361344 in the arena"
        );
        assert_eq!(refused(|op| op.name = "ff2"), "block 1 ff1: GELU is 1 for the kernel and 0 in the arena");
        assert_eq!(
            refused(|op| op.core_set = CoreSet::First),
            "block 1 ff1: core set is 0 for the kernel and 1 in the arena"
        );
        assert!(refused(|op| op.order = TileOrder::ColumnMajor).starts_with("block 1 ff1: tile of a page"));
        assert!(refused(|op| op.split = Split::K).starts_with("block 1 ff1: tile of a page"));
    }

    #[test]
    fn item_084_every_field_of_the_tail_is_compared() {
        let cfg = DitConfig::scaled(Version::N16, 2, 2).unwrap();
        let refused = |tail: TailOp, change: fn(&mut ArenaOp)| {
            let mut layout = ArenaLayout::plan(&cfg, ArenaOptions::new(64)).unwrap();
            change(&mut layout.tail[tail as usize]);
            check_tail_geometry(&layout).expect_err(tail.name()).to_string()
        };
        let text = refused(TailOp::DecW2, |op| op.split = Split::N);
        assert_eq!(text, "tail dec_W2: K split is 1 for the kernel and 0 in the arena");
        let text = refused(TailOp::DecW2, |op| op.k_tiles_per_core = 8);
        assert_eq!(text, "tail dec_W2: K tiles of a core is 4 for the kernel and 8 in the arena");
        let text = refused(TailOp::EncW1, |op| op.n_tiles_per_core = 2);
        assert_eq!(text, "tail enc_W1: column tiles of a core is 1 for the kernel and 2 in the arena");
        let text = refused(TailOp::EncW3, |op| op.byte_offset += 2048);
        assert_eq!(text, "tail enc_W3: end of the earlier operations is 393216 for the kernel and 395264 in the arena");
        let text = refused(TailOp::ProjOut2, |op| op.core_set = CoreSet::Even);
        assert_eq!(text, "tail proj_out_2: core set is 1 for the kernel and 2 in the arena");
        let text = refused(TailOp::DecW2, |op| op.order = TileOrder::ColumnMajor);
        assert_eq!(text, "tail dec_W2: K of a tile is 0 for the kernel and 1 in the arena");
    }
}
