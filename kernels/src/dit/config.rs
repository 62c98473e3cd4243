//! Which network, on how large a machine.

use super::consts::{CATEGORIES, HEAD_DIM, HEAD_DIM_PAD, M_ROWS, N_BANKS, STEPS4_N_STEPS, TILE, VL_WIDTH};
use super::error::{MegakernelError, Result};
use std::fmt;
use ttl::prelude::DataFormat;

/// The published networks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// GR00T N1.5.
    N15,
    /// GR00T N1.6.
    N16,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Version::N15 => "N1.5",
            Version::N16 => "N1.6",
        })
    }
}

/// The format of the block weights; the tail's are bf16 always.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamDtype {
    /// bf16.
    Bf16,
    /// bfp8_b.
    Bfp8B,
}

impl StreamDtype {
    /// As tensors call it.
    pub const fn format(self) -> DataFormat {
        match self {
            StreamDtype::Bf16 => DataFormat::Bf16,
            StreamDtype::Bfp8B => DataFormat::Bfp8B,
        }
    }

    /// 2048 or 1088.
    pub const fn tile_bytes(self) -> u32 {
        self.format().tile_bytes()
    }
}

impl fmt::Display for StreamDtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.format().name())
    }
}

/// Who reads the weights from DRAM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReaderMode {
    /// Each compute core reads its own.
    Direct,
    /// One reader core per bank reads the bank from end to end and hands pages to its twelve compute cores.
    Relay,
}

impl fmt::Display for ReaderMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReaderMode::Direct => "direct",
            ReaderMode::Relay => "relay",
        })
    }
}

/// The vision-language tokens that a cross block attends to. The discriminant stands in the flags of the offsets table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum KeySet {
    /// All tokens.
    All = 0,
    /// Text tokens.
    Text = 1,
    /// Image tokens.
    Image = 2,
}

impl KeySet {
    /// All of them.
    pub const SETS: [KeySet; 3] = [KeySet::All, KeySet::Text, KeySet::Image];

    /// As arguments and errors call it.
    pub const fn name(self) -> &'static str {
        match self {
            KeySet::All => "all",
            KeySet::Text => "text",
            KeySet::Image => "image",
        }
    }
}

impl fmt::Display for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A network and the number of banks that all its widths are proportional to: 8 on the card.
///
/// Change a field to describe another checkpoint; [`DitConfig::check`] says what does not go together.
#[derive(Clone, PartialEq, Debug)]
pub struct DitConfig {
    /// Which network.
    pub version: Version,
    /// B: 1, 2, 4 or 8.
    pub banks: u32,
    /// Blocks of the network.
    pub n_blocks: u32,
    /// H: actions of a chunk.
    pub horizon: u32,
    /// Padded width of an action in the model.
    pub a_max: u32,
    /// Learned tokens between the state and the actions.
    pub n_fut: u32,
    /// Width of the state that the state encoder takes.
    pub state_dim: u32,
    /// Width of the vision-language tokens.
    pub vl_width: u32,
    /// Embodiments that a checkpoint has weights for.
    pub categories: u32,
    /// Euler steps.
    pub steps: u32,
}

impl DitConfig {
    /// GR00T N1.5, at full size.
    pub const fn n15() -> DitConfig {
        DitConfig {
            version: Version::N15,
            banks: N_BANKS,
            n_blocks: 16,
            horizon: 16,
            a_max: 32,
            n_fut: 32,
            state_dim: 64,
            vl_width: VL_WIDTH,
            categories: CATEGORIES,
            steps: STEPS4_N_STEPS,
        }
    }

    /// GR00T N1.6, at full size.
    pub const fn n16() -> DitConfig {
        DitConfig {
            version: Version::N16,
            n_blocks: 32,
            horizon: 50,
            a_max: 128,
            n_fut: 0,
            state_dim: 128,
            ..DitConfig::n15()
        }
    }

    /// The same network with `banks` banks, everything that is proportional to them smaller, and another number of blocks.
    pub fn scaled(version: Version, banks: u32, n_blocks: u32) -> Result<DitConfig> {
        let full = match version {
            Version::N15 => DitConfig::n15(),
            Version::N16 => DitConfig::n16(),
        };
        let cfg = DitConfig { banks, n_blocks, ..full };
        cfg.check()?;
        Ok(cfg)
    }

    /// Whether the device program can have these sizes.
    pub fn check(&self) -> Result<()> {
        if ![1, 2, 4, 8].contains(&self.banks) {
            return Err(MegakernelError::Banks { banks: self.banks });
        }
        // 139 words of table and 117 of everything else leave room below the limit of 341.
        if self.n_blocks == 0 || self.n_blocks > 32 {
            return Err(MegakernelError::Blocks { n_blocks: self.n_blocks });
        }
        if self.horizon == 0 || self.m() > M_ROWS {
            return Err(MegakernelError::SequenceLength {
                m: self.m(),
                horizon: self.horizon,
                n_fut: self.n_fut,
                rows: M_ROWS,
            });
        }
        if self.a_max == 0 || self.a_max > 128 {
            return Err(MegakernelError::ActionWidth { a_max: self.a_max });
        }
        if self.steps != STEPS4_N_STEPS {
            return Err(MegakernelError::Steps { steps: self.steps });
        }
        Ok(())
    }

    /// Cores that compute.
    pub const fn compute_cores(&self) -> u32 {
        12 * self.banks
    }

    /// Heads of the attention.
    pub const fn n_heads(&self) -> u32 {
        4 * self.banks
    }

    /// W.
    pub const fn width(&self) -> u32 {
        192 * self.banks
    }

    /// The heads side by side, each padded to 64 columns.
    pub const fn inner(&self) -> u32 {
        HEAD_DIM_PAD * self.n_heads()
    }

    /// F.
    pub const fn ff_dim(&self) -> u32 {
        768 * self.banks
    }

    /// O, the width of the output head.
    pub const fn out_dim(&self) -> u32 {
        128 * self.banks
    }

    /// D, the width of the decoder's hidden layer.
    pub const fn hidden(&self) -> u32 {
        128 * self.banks
    }

    /// Elements of a head, with its padding.
    pub const fn head_dim_pad(&self) -> u32 {
        HEAD_DIM_PAD
    }

    /// Elements of a head.
    pub const fn head_dim(&self) -> u32 {
        HEAD_DIM
    }

    /// Columns of one chunk of the feed-forward gather.
    pub const fn chunk_cols(&self) -> u32 {
        128 * self.banks
    }

    /// Tiles of a page of the weight stream.
    pub const fn page_tiles(&self) -> u32 {
        self.banks
    }

    /// The width of an action on the device, and its tiles.
    pub const fn a_pad(&self) -> u32 {
        self.a_max.next_multiple_of(TILE)
    }

    /// The width of the actions in tiles, padded.
    pub const fn nt_a(&self) -> u32 {
        self.a_pad() / TILE
    }

    /// M: the state, the future tokens, the actions.
    pub const fn m(&self) -> u32 {
        1 + self.n_fut + self.horizon
    }

    /// Rows of every activation, padded.
    pub const fn m_pad(&self) -> u32 {
        M_ROWS
    }

    /// The rows of the actions: the last of M.
    pub const fn action_rows(&self) -> std::ops::Range<u32> {
        self.m() - self.horizon..self.m()
    }

    /// Even blocks attend to the vision-language tokens, odd ones to the sequence itself.
    pub const fn is_cross(&self, blk: u32) -> bool {
        blk.is_multiple_of(2)
    }

    /// The tokens that a cross block attends to.
    pub const fn key_set(&self, blk: u32) -> Option<KeySet> {
        match (self.version, blk % 4) {
            (_, 1 | 3) => None,
            (Version::N15, _) => Some(KeySet::All),
            (Version::N16, 0) => Some(KeySet::Text),
            (Version::N16, _) => Some(KeySet::Image),
        }
    }

    /// The cross blocks, in order.
    pub fn cross_blocks(&self) -> impl Iterator<Item = u32> {
        let cfg = self.clone();
        (0..self.n_blocks).filter(move |&blk| cfg.is_cross(blk))
    }

    /// The key sets that the blocks use.
    pub fn key_sets(&self) -> Vec<KeySet> {
        KeySet::SETS.into_iter().filter(|&set| (0..self.n_blocks).any(|blk| self.key_set(blk) == Some(set))).collect()
    }

    /// The time of a step, in the units of the time encoding: floor(1000 k / steps).
    pub const fn timestep(&self, step: u32) -> u32 {
        1000 * step / self.steps
    }

    /// Columns and rows of the grid of cores.
    pub const fn grid(&self) -> (u32, u32) {
        match self.banks {
            1 => (7, 2),
            2 => (7, 4),
            4 => (9, 6),
            _ => (11, 10),
        }
    }

    /// A step outside of the loop is refused.
    pub fn check_step(&self, step: u32) -> Result<()> {
        if step < self.steps { Ok(()) } else { Err(MegakernelError::Step { step, steps: self.steps }) }
    }

    /// Blocks `first..first + n` must exist, and be at least one.
    pub fn check_blocks(&self, first: u32, n: u32) -> Result<()> {
        match first.checked_add(n) {
            Some(end) if n > 0 && end <= self.n_blocks => Ok(()),
            _ => Err(MegakernelError::BlockRange {
                first,
                end: u64::from(first) + u64::from(n),
                n_blocks: self.n_blocks,
            }),
        }
    }
}
