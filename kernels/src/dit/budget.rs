//! What fits into L1, and which rings can make progress.

use super::arena::ArenaLayout;
use super::check::k4_tw_tiles;
use super::config::{DitConfig, ReaderMode};
use super::consts::{BF16_TILE, F32_TILE, M_ROWS, MAX_TRANSACTION_IDS, TILE};
use super::error::{MegakernelError, Result};
use ttl::runtime::arch::Arch;

/// L1 of a worker as one version of TT-Metalium divides it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct L1Map {
    /// Bytes of L1.
    pub size: u32,
    /// End of firmware and mailboxes.
    pub map_end: u32,
    /// The ring for kernels and their arguments, by default.
    pub kernel_config: u32,
    /// The base of what is left is a multiple of this.
    pub alignment: u32,
    /// Kept back for small tensors.
    pub l1_small: u32,
}

/// Of a Blackhole worker.
pub const BLACKHOLE_L1: L1Map =
    L1Map { size: 1_572_864, map_end: 32_880, kernel_config: 70_656, alignment: 64, l1_small: 32_768 };

/// What the K4 kernels need of the kernel ring beyond the default.
pub const K4_KERNEL_CONFIG_EXTRA_BYTES: u32 = 98_304;
/// L1 for buffers and tensors with the default kernel ring, and `worker_l1_size` of a device for K4.
pub const L1_USABLE_BYTES: u32 = BLACKHOLE_L1.usable();
/// Bytes, which leave room for a kernel ring that is larger by [`K4_KERNEL_CONFIG_EXTRA_BYTES`].
pub const K4_WORKER_L1_SIZE: u32 = L1_USABLE_BYTES - K4_KERNEL_CONFIG_EXTRA_BYTES;

impl L1Map {
    /// What is left with the default kernel ring.
    pub const fn usable(&self) -> u32 {
        self.size - (self.map_end + self.kernel_config).next_multiple_of(self.alignment)
    }

    /// The kernel ring that a `worker_l1_size` leaves.
    pub const fn kernel_ring(&self, worker_l1_size: u32) -> u32 {
        self.size - worker_l1_size - self.map_end
    }

    /// For buffers and tensors of a device opened with a `worker_l1_size`.
    pub const fn for_buffers(&self, worker_l1_size: u32) -> u32 {
        worker_l1_size - self.l1_small
    }
}

/// The compute and DRAM grid that the full program needs.
pub const K4_COMPUTE_GRID: (u32, u32) = (11, 10);
/// Columns and rows.
pub const K4_DRAM_GRID: (u32, u32) = (8, 1);

/// Refuses a chip that is not the card the full program is for.
pub fn check_device(arch: &Arch) -> Result<()> {
    check_grids((arch.grid_x, arch.grid_y), (arch.dram_banks, 1))
}

/// [`check_device`] of grids.
pub fn check_grids(compute: (u32, u32), dram: (u32, u32)) -> Result<()> {
    if compute != K4_COMPUTE_GRID {
        return Err(MegakernelError::ComputeGrid { got: compute, need: K4_COMPUTE_GRID });
    }
    if dram != K4_DRAM_GRID {
        return Err(MegakernelError::DramGrid { got: dram, need: K4_DRAM_GRID });
    }
    Ok(())
}

/// Bytes of a_rep on each core: [64, 256 B] bf16.
pub const fn a_rep_bytes(cfg: &DitConfig) -> u32 {
    M_ROWS * a_rep_columns(cfg) * 2
}

/// Columns of a_rep: what the widest gather needs, two chunks of the feed-forward part or all heads.
pub const fn a_rep_columns(cfg: &DitConfig) -> u32 {
    2 * cfg.chunk_cols()
}

/// Buffers of the matmul-only program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CbBudget {
    /// Bytes of a_rep.
    pub cb_a: u32,
    /// The weight ring in K-blocks of two pages, or in bytes.
    pub cb_w: Ring,
    /// The ring of a relay reader, in K-blocks of two pages.
    pub cb_relay_slots: u32,
}

/// Buffers of the full program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct K4Budget {
    /// Of a compute core, for weights.
    pub cb_w: Ring,
    /// Chunks of keys, values and mask that are in L1 at a time.
    pub sdpa_slots: u32,
    /// Tiles of a tail slice that cb_tw holds.
    pub tw_tiles: u32,
}

/// The size of a weight ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ring {
    /// So many of the largest K-block, which is two pages.
    KBlocks(u32),
    /// So many bytes.
    Bytes(u32),
}

impl Ring {
    /// Bytes, if the largest K-block has `k_block_bytes_max`.
    pub const fn bytes(self, k_block_bytes_max: u32) -> u32 {
        match self {
            Ring::KBlocks(n) => n * k_block_bytes_max,
            Ring::Bytes(bytes) => bytes,
        }
    }

    /// Whole pages.
    pub fn pages(self, layout: &ArenaLayout) -> Result<u32> {
        let (bytes, page) = (self.bytes(layout.k_block_bytes_max()), layout.page_bytes());
        if !bytes.is_multiple_of(page) {
            return Err(MegakernelError::RingPages { bytes, page });
        }
        Ok(bytes / page)
    }
}

impl CbBudget {
    /// Six pages of weights, twelve of a reader.
    pub const fn new(cfg: &DitConfig) -> CbBudget {
        CbBudget { cb_a: a_rep_bytes(cfg), cb_w: Ring::KBlocks(3), cb_relay_slots: 6 }
    }

    /// Bytes of the weight ring.
    pub const fn cb_w_bytes(&self, k_block_bytes_max: u32) -> u32 {
        self.cb_w.bytes(k_block_bytes_max)
    }

    /// Pages of a reader's ring.
    pub fn relay_pages(&self, layout: &ArenaLayout) -> u32 {
        self.cb_relay_slots * layout.k_block_bytes_max() / layout.page_bytes()
    }

    /// What a compute core holds in the matmul-only program, with an input of `x_columns` columns on every core.
    pub fn compute_rows(&self, layout: &ArenaLayout, x_columns: u32) -> Vec<L1Row> {
        vec![
            L1Row::new("a_rep", self.cb_a),
            L1Row::new("x_rep", M_ROWS * x_columns * 2),
            L1Row::new("w_ring", self.cb_w_bytes(layout.k_block_bytes_max())),
            L1Row::new("mm_out", 4 * BF16_TILE),
            L1Row::new("sync", F32_TILE),
        ]
    }

    /// What a relay reader holds.
    pub fn reader_rows(&self, layout: &ArenaLayout) -> Vec<L1Row> {
        vec![
            L1Row::new("a_rep", self.cb_a),
            L1Row::new("cb_relay", self.relay_pages(layout) * layout.page_bytes()),
            L1Row::new("sync", F32_TILE),
        ]
    }

    /// Refuses what does not fit, with the widest input that a single operation takes.
    pub fn check_l1(&self, layout: &ArenaLayout) -> Result<()> {
        let have = BLACKHOLE_L1.for_buffers(L1_USABLE_BYTES);
        check_rows("the buffers of a K1 compute core", &self.compute_rows(layout, layout.cfg().ff_dim()), have)?;
        check_rows("the buffers of a K1 reader", &self.reader_rows(layout), have)
    }
}

impl K4Budget {
    /// Eight pages of weights, four chunks of keys.
    pub fn new(layout: &ArenaLayout) -> K4Budget {
        K4Budget { cb_w: Ring::KBlocks(4), sdpa_slots: 4, tw_tiles: k4_tw_tiles(layout) }
    }

    /// Bytes of the weight ring.
    pub const fn cb_w_bytes(&self, k_block_bytes_max: u32) -> u32 {
        self.cb_w.bytes(k_block_bytes_max)
    }

    /// What a compute core holds.
    pub fn compute_rows(&self, layout: &ArenaLayout) -> Vec<L1Row> {
        let cfg = layout.cfg();
        let b = |name, tiles: u32| L1Row::new(name, tiles * BF16_TILE);
        let f = |name, tiles: u32| L1Row::new(name, tiles * F32_TILE);
        // A chunk of [64, 64] is four tiles.
        let chunks = 4 * self.sdpa_slots;
        vec![
            L1Row::new("cb_a", a_rep_bytes(cfg)),
            b("cb_x", cfg.width() / TILE),
            L1Row::new("cb_w", self.cb_w_bytes(layout.k_block_bytes_max())),
            b("cb_tw", self.tw_tiles),
            b("cb_bias", 4),
            b("cb_mod", 4),
            f("cb_stat", 4),
            b("cb_h", 2),
            b("cb_mm0", 4),
            f("cb_acc", 4),
            b("cb_q", 4),
            b("cb_k", chunks),
            b("cb_v", chunks),
            b("cb_mask", chunks),
            f("cb_s", 8),
            b("cb_p", 4),
            f("cb_ml", 8),
            f("cb_o", 4),
            f("cb_part", 16),
            b("cb_row", 8),
            b("cb_scalar", 2),
            // The result of ff1 waits for its round while ff2 computes: it has a buffer of its own.
            b("cb_f1", 4),
        ]
    }

    /// What the hub holds.
    pub fn hub_rows(&self, layout: &ArenaLayout) -> Vec<L1Row> {
        let cfg = layout.cfg();
        let actions = 2 * cfg.nt_a();
        vec![
            L1Row::new("a_rep", a_rep_bytes(cfg)),
            L1Row::new("k4_land", cb_land_bytes(cfg)),
            L1Row::new("k4_x_t", actions * F32_TILE),
            L1Row::new("k4_v", actions * BF16_TILE),
            L1Row::new("k4_hub_bias", cfg.nt_a() * BF16_TILE),
        ]
    }

    /// Refuses what does not fit, and a tail slice larger than its buffer.
    pub fn check_l1(&self, layout: &ArenaLayout) -> Result<()> {
        let tiles = k4_tw_tiles(layout);
        if tiles > self.tw_tiles {
            return Err(MegakernelError::TailSlice { tiles, have: self.tw_tiles });
        }
        let have = BLACKHOLE_L1.for_buffers(K4_WORKER_L1_SIZE);
        check_rows("the buffers of a K4 compute core", &self.compute_rows(layout), have)?;
        check_rows("the buffers of the K4 hub", &self.hub_rows(layout), have)
    }
}

/// Bytes of the hub's landing buffer: f32 partial sums [64, a_pad] of every lead.
pub const fn cb_land_bytes(cfg: &DitConfig) -> u32 {
    cfg.banks * 2 * cfg.nt_a() * F32_TILE
}

/// A buffer of a core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct L1Row {
    /// What it is called.
    pub name: &'static str,
    /// How large it is.
    pub bytes: u32,
}

impl L1Row {
    /// A buffer of so many bytes.
    pub const fn new(name: &'static str, bytes: u32) -> L1Row {
        L1Row { name, bytes }
    }
}

/// The sum of buffers.
pub fn total_bytes(rows: &[L1Row]) -> u64 {
    rows.iter().map(|row| u64::from(row.bytes)).sum()
}

/// Refuses buffers that take more than there is, and names the three largest.
pub fn check_rows(what: &'static str, rows: &[L1Row], have: u32) -> Result<()> {
    let need = total_bytes(rows);
    if need <= u64::from(have) {
        return Ok(());
    }
    let mut sorted: Vec<&L1Row> = rows.iter().collect();
    sorted.sort_by_key(|row| std::cmp::Reverse(row.bytes));
    let largest: Vec<String> = sorted.iter().take(3).map(|row| format!("{} {} B", row.name, row.bytes)).collect();
    Err(MegakernelError::L1Budget { what, need, have: u64::from(have), largest: largest.join(", ") })
}

/// Depth of the weight rings and window of the relay, in NoC transaction ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RingPolicy {
    /// Reads from DRAM under way per ring.
    pub ring_depth: u32,
    /// Writes under way per reader.
    pub relay_window: u32,
}

impl Default for RingPolicy {
    fn default() -> RingPolicy {
        RingPolicy { ring_depth: super::consts::DEFAULT_RING_DEPTH, relay_window: super::consts::DEFAULT_RELAY_WINDOW }
    }
}

impl RingPolicy {
    /// Transaction ids have four bits, and 0 is not used.
    pub fn check_ids(&self) -> Result<()> {
        for (name, value) in [("ring_depth", self.ring_depth), ("relay_window", self.relay_window)] {
            if value == 0 || value > MAX_TRANSACTION_IDS {
                return Err(MegakernelError::TransactionIds { name, value, most: MAX_TRANSACTION_IDS });
            }
        }
        Ok(())
    }

    /// A ring must go on while it holds a K-block that nobody consumed; a reader and its forwarder must not wait for each other.
    pub fn check_progress(&self, layout: &ArenaLayout, k1: &CbBudget, k4: &K4Budget) -> Result<()> {
        for (name, ring) in [("CBBudget", k1.cb_w), ("K4Budget", k4.cb_w)] {
            let pages = ring.pages(layout)?;
            if self.ring_depth + 2 > pages {
                return Err(MegakernelError::RingDepth { name, depth: self.ring_depth, pages });
            }
        }
        if layout.reader_mode() == ReaderMode::Relay {
            let pages = k1.relay_pages(layout);
            if self.relay_window + self.ring_depth > pages + 1 {
                let (window, depth) = (self.relay_window, self.ring_depth);
                return Err(MegakernelError::RelayWindow { window, depth, pages });
            }
        }
        Ok(())
    }
}

/// Everything that is checked before a device is needed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Policy {
    /// Of the rings.
    pub rings: RingPolicy,
    /// The reader mode that is asked for; none takes the arena's.
    pub reader_mode: Option<ReaderMode>,
    /// Buffers of the matmul-only program.
    pub k1: CbBudget,
    /// Buffers of the full program.
    pub k4: K4Budget,
    /// Switches of the hub.
    pub hub: super::knobs::HubKnobs,
}

impl Policy {
    /// What is used where nothing is said.
    pub fn new(layout: &ArenaLayout) -> Policy {
        Policy {
            rings: RingPolicy::default(),
            reader_mode: None,
            k1: CbBudget::new(layout.cfg()),
            k4: K4Budget::new(layout),
            hub: super::knobs::HubKnobs::default(),
        }
    }

    /// The checks of the constructor, in their order: arena against configuration, reader mode, transaction ids, geometry, rings, L1.
    pub fn check(&self, cfg: &DitConfig, layout: &ArenaLayout) -> Result<()> {
        check_arena(cfg, layout)?;
        if let Some(policy) = self.reader_mode
            && policy != layout.reader_mode()
        {
            return Err(MegakernelError::ReaderMode { arena: layout.reader_mode(), policy });
        }
        self.rings.check_ids()?;
        self.hub.check()?;
        super::check::check_kernel_geometry(layout)?;
        super::check::check_tail_geometry(layout)?;
        self.rings.check_progress(layout, &self.k1, &self.k4)?;
        self.k1.check_l1(layout)?;
        self.k4.check_l1(layout)
    }
}

/// Refuses an arena of another network.
pub fn check_arena(cfg: &DitConfig, layout: &ArenaLayout) -> Result<()> {
    let arena = layout.cfg();
    if arena.version != cfg.version {
        return Err(MegakernelError::ArenaVersion { arena: arena.version, cfg: cfg.version });
    }
    let numbers = |c: &DitConfig| {
        [
            ("the number of banks", c.banks),
            ("the number of blocks", c.n_blocks),
            ("the horizon", c.horizon),
            ("the action width", c.a_max),
            ("the number of future tokens", c.n_fut),
            ("the number of steps", c.steps),
        ]
    };
    for ((what, arena), (_, cfg)) in numbers(arena).into_iter().zip(numbers(cfg)) {
        if arena != cfg {
            return Err(MegakernelError::ArenaConfig { what, arena, cfg });
        }
    }
    Ok(())
}
