//! The layout of the weight arena: where every tile of every operation lies in the banks.
//!
//! Written from the matrices (K, N, which core takes which columns), without the formulas of [`geometry`](super::geometry) that the kernels
//! use; [`check_kernel_geometry`](super::check_kernel_geometry) compares the two.

mod op;
mod place;

pub use op::{ArenaOp, ArenaPart, Split, TileOrder};

use std::collections::BTreeMap;

use place::Place;

use super::config::{DitConfig, KeySet, ReaderMode, StreamDtype};
use super::consts::{BF16_TILE, TILE};
use super::core_set::CoreSet;
use super::error::{MegakernelError, Result};
use super::geometry::{is_split, key_chunks};
use super::offsets::{self, OffsetsTable};
use super::op::{Op, TailOp};
use super::plan::enumerate_plan;

/// What can be chosen of an arena.
#[derive(Clone, PartialEq, Debug)]
pub struct ArenaOptions {
    /// The format of the weights of the blocks.
    pub dtype: StreamDtype,
    /// Who reads them from the banks.
    pub reader_mode: ReaderMode,
    /// The order of tiles in a core's slice.
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

    /// With another format of the weights.
    pub fn dtype(self, dtype: StreamDtype) -> ArenaOptions {
        ArenaOptions { dtype, ..self }
    }

    /// With other readers.
    pub fn reader_mode(self, reader_mode: ReaderMode) -> ArenaOptions {
        ArenaOptions { reader_mode, ..self }
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
    /// Lays out the weights of a configuration. An error where it does not go together, or where a key set has no padded length or a wrong one.
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

    /// What it was planned for.
    pub const fn cfg(&self) -> &DitConfig {
        &self.cfg
    }

    /// What was chosen.
    pub const fn options(&self) -> &ArenaOptions {
        &self.options
    }

    /// The format of the weights of the blocks.
    pub const fn dtype_stream(&self) -> StreamDtype {
        self.options.dtype
    }

    /// Who reads them from the banks.
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

    /// An operation of a block; an error if there is no such block.
    pub fn op(&self, blk: u32, op: Op) -> Result<&ArenaOp> {
        Ok(&self.block(blk)?[op as usize])
    }

    /// An operation of the tail.
    pub const fn tail_op(&self, op: TailOp) -> &ArenaOp {
        &self.tail[op as usize]
    }

    /// The operations of a block, in order; an error if there is no such block.
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

    /// Whether a block attends to keys from outside.
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

    /// Bytes of a part in every bank.
    pub const fn bytes_per_bank(&self, part: ArenaPart) -> u64 {
        self.bytes[part as usize]
    }

    /// Tiles of a part in every bank.
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
