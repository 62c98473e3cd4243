//! Which core of the grid plays which role.
//!
//! Compute core c is not shard c: shards of a tensor go to cores row by row, while compute cores are numbered column by column, as a card's
//! readers, which sit beside their DRAM banks, make it anyway. [`CoreMap::shard_order`] translates.

use super::config::DitConfig;
use super::core_set::{group_of, rank12, row_of_core};
use super::error::{MegakernelError, Result};
use ttl::prelude::{Core, CoreRange};

/// The set of cores as the programs use it.
type Cores = ttl::prelude::CoreSet;

/// Roles of the cores of the grid.
#[derive(Clone, PartialEq, Debug)]
pub struct CoreMap {
    banks: u32,
    grid: (u32, u32),
    compute: Vec<Core>,
    readers: Vec<Core>,
    hub: Core,
    spares: Vec<Core>,
}

/// What a core does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoreRole {
    /// With its compute index.
    Compute(u32),
    /// With its bank.
    Reader(u32),
    /// Gathers and multicasts.
    Hub,
    /// Has no part.
    Spare,
}

impl CoreMap {
    /// The placement on the simulator: readers at the top of the last column.
    pub fn simulated(cfg: &DitConfig) -> CoreMap {
        let last = cfg.grid().0 - 1;
        let readers = (0..cfg.banks).map(|bank| Core::new(last, bank)).collect();
        CoreMap::place(cfg, readers)
    }

    /// The placement on a card, given the worker core nearest to each DRAM bank.
    pub fn from_dram_workers(cfg: &DitConfig, workers: &[Core]) -> Result<CoreMap> {
        cfg.check()?;
        let (width, height) = cfg.grid();
        if workers.len() != cfg.banks as usize {
            return Err(MegakernelError::ReaderCount { readers: workers.len(), banks: cfg.banks });
        }
        for (i, &core) in workers.iter().enumerate() {
            if core.x >= width || core.y >= height {
                return Err(MegakernelError::OutsideGrid { core, grid: (width, height) });
            }
            if let Some(other) = workers[..i].iter().position(|&c| c == core) {
                return Err(MegakernelError::ReaderTwice { core, banks: [other as u32, i as u32] });
            }
        }
        Ok(CoreMap::place(cfg, workers.to_vec()))
    }

    /// Compute cores column by column over what the readers leave; the hub is the top one of the right-most column that still has a core.
    fn place(cfg: &DitConfig, readers: Vec<Core>) -> CoreMap {
        let grid = cfg.grid();
        let mut free: Vec<Core> = (0..grid.0)
            .flat_map(|x| (0..grid.1).map(move |y| Core::new(x, y)))
            .filter(|core| !readers.contains(core))
            .collect();
        let mut spares = free.split_off(cfg.compute_cores() as usize);
        let hub = spares.iter().map(|core| core.x).max().and_then(|x| spares.iter().position(|core| core.x == x));
        // A grid has more cores than compute cores and readers.
        let hub = spares.remove(hub.unwrap_or(0));
        CoreMap { banks: cfg.banks, grid, compute: free, readers, hub, spares }
    }

    /// Banks of DRAM.
    pub const fn banks(&self) -> u32 {
        self.banks
    }

    /// Columns and rows.
    pub const fn grid(&self) -> (u32, u32) {
        self.grid
    }

    /// The compute cores by compute index.
    pub fn compute(&self) -> &[Core] {
        &self.compute
    }

    /// The readers by bank.
    pub fn readers(&self) -> &[Core] {
        &self.readers
    }

    /// The core that gathers and multicasts.
    pub const fn hub(&self) -> Core {
        self.hub
    }

    /// Cores without work.
    pub fn spares(&self) -> &[Core] {
        &self.spares
    }

    /// How many cores compute.
    pub const fn n_compute(&self) -> u32 {
        self.compute.len() as u32
    }

    /// All cores of the grid.
    pub const fn n_cores(&self) -> u32 {
        self.grid.0 * self.grid.1
    }

    /// The compute cores as a set, which forgets their order.
    pub fn compute_set(&self) -> Cores {
        self.compute.iter().copied().collect()
    }

    /// The cores that read for others.
    pub fn reader_set(&self) -> Cores {
        self.readers.iter().copied().collect()
    }

    /// The whole grid.
    pub fn all(&self) -> CoreRange {
        CoreRange::new(Core::new(0, 0), Core::new(self.grid.0 - 1, self.grid.1 - 1))
    }

    /// What a core does; an error outside of the grid.
    pub fn role(&self, core: Core) -> Result<CoreRole> {
        let position = |cores: &[Core]| cores.iter().position(|&c| c == core).map(|i| i as u32);
        if core.x >= self.grid.0 || core.y >= self.grid.1 {
            return Err(MegakernelError::OutsideGrid { core, grid: self.grid });
        }
        Ok(if let Some(c) = position(&self.compute) {
            CoreRole::Compute(c)
        } else if let Some(bank) = position(&self.readers) {
            CoreRole::Reader(bank)
        } else if core == self.hub {
            CoreRole::Hub
        } else {
            CoreRole::Spare
        })
    }

    /// The compute index of a core.
    pub fn compute_idx_of(&self, core: Core) -> Result<u32> {
        match self.role(core)? {
            CoreRole::Compute(c) => Ok(c),
            role => Err(MegakernelError::NotCompute { core, role }),
        }
    }

    /// The index of a core in the whole grid, row by row: its shard of a tensor that every core has a part of.
    pub fn linear_id(&self, core: Core) -> Result<u32> {
        self.role(core)?;
        Ok(core.y * self.grid.0 + core.x)
    }

    /// The bank whose weights compute core `c` uses.
    pub fn group_of(&self, c: u32) -> u32 {
        group_of(self.banks, c)
    }

    /// Which of the twelve cores of its bank core `c` is: its credit word.
    pub fn rank12(&self, c: u32) -> u32 {
        rank12(self.banks, c)
    }

    /// The tile row of the residual stream of core `c`.
    pub fn row_of_core(&self, c: u32) -> u32 {
        row_of_core(self.banks, c)
    }

    /// `shard_order()[i]` is the compute index of the core that holds shard i of a tensor sharded over the compute cores.
    pub fn shard_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.n_compute()).collect();
        order.sort_by_key(|&c| (self.compute[c as usize].y, self.compute[c as usize].x));
        order
    }

    /// Compares with the order in which the runtime deals out shards.
    pub fn check_shard_order(&self, runtime: &[Core]) -> Result<()> {
        let ours = self.shard_order();
        if ours.len() != runtime.len() {
            return Err(MegakernelError::ShardCount { ours: ours.len(), runtime: runtime.len() });
        }
        for (shard, (&c, &core)) in ours.iter().zip(runtime).enumerate() {
            let expected = self.compute[c as usize];
            if expected != core {
                return Err(MegakernelError::ShardOrder { shard: shard as u32, ours: expected, runtime: core });
            }
        }
        Ok(())
    }
}

/// A NoC coordinate as a runtime word: x in the low byte, y above it.
pub fn noc_word(noc: Core) -> Result<u32> {
    for value in [noc.x, noc.y] {
        if value > 255 {
            return Err(MegakernelError::NocCoordinate { value });
        }
    }
    Ok(noc.x | noc.y << 8)
}
