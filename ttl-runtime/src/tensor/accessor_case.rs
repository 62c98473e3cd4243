//! A tensor whose accessor TT-Metalium was asked for: how it lies in memory, and what came out.

use crate::arch::Core;
use crate::cores::CoreRange;
use crate::tensor::format::DataFormat;
use crate::tensor::memory::{MemoryConfig, Orientation, ShardLayout, ShardSpec};
use crate::tensor::spec::TensorSpec;

/// How a tensor is cut: layout, shard, x and y of the first and the last core (or bank) of the rectangle, orientation.
type Cut = (ShardLayout, [u32; 2], (u32, u32, u32, u32), Orientation);

pub(super) struct Case {
    pub(super) name: &'static str,
    shape: &'static [usize],
    format: DataFormat,
    rows: bool,
    dram: bool,
    cut: Option<Cut>,
    /// On Blackhole and Wormhole; `None`: there are not as many banks.
    pub(super) words: [Option<&'static [u32]>; 2],
    /// Pages and bytes of each, where that was asked.
    pub(super) pages: Option<(usize, u32)>,
    /// On Blackhole, where known.
    pub(super) per_bank: Option<u64>,
}

impl Case {
    /// In tiles, in L1, not cut.
    pub(super) const fn tiles(name: &'static str, shape: &'static [usize], format: DataFormat) -> Case {
        Case { name, shape, format, rows: false, dram: false, cut: None, words: [None; 2], pages: None, per_bank: None }
    }

    /// In rows, in L1, not cut.
    pub(super) const fn rows(name: &'static str, shape: &'static [usize], format: DataFormat) -> Case {
        Case { rows: true, ..Case::tiles(name, shape, format) }
    }

    pub(super) const fn dram(self) -> Case {
        Case { dram: true, ..self }
    }

    pub(super) const fn cut(
        self,
        layout: ShardLayout,
        shard: [u32; 2],
        cores: (u32, u32, u32, u32),
        orientation: Orientation,
    ) -> Case {
        Case { cut: Some((layout, shard, cores, orientation)), ..self }
    }

    pub(super) const fn blackhole(self, words: &'static [u32]) -> Case {
        Case { words: [Some(words), self.words[1]], ..self }
    }

    pub(super) const fn wormhole(self, words: &'static [u32]) -> Case {
        Case { words: [self.words[0], Some(words)], ..self }
    }

    pub(super) const fn pages(self, pages: usize, bytes: u32) -> Case {
        Case { pages: Some((pages, bytes)), ..self }
    }

    pub(super) const fn per_bank(self, bytes: u64) -> Case {
        Case { per_bank: Some(bytes), ..self }
    }

    /// Rows and columns of a shard, none if it is not cut.
    pub(super) fn shard(&self) -> [u32; 2] {
        self.cut.map_or([0; 2], |(_, shard, ..)| shard)
    }

    pub(super) fn spec(&self) -> TensorSpec {
        let make = if self.rows { TensorSpec::row_major } else { TensorSpec::new };
        let memory = match self.cut {
            None if self.dram => MemoryConfig::Dram,
            None => MemoryConfig::L1,
            Some((layout, shard, (x0, y0, x1, y1), orientation)) => {
                let cores = CoreRange::new(Core::new(x0, y0), Core::new(x1, y1));
                let shards = ShardSpec::new(layout, shard, cores, orientation);
                if self.dram { MemoryConfig::DramSharded(shards) } else { MemoryConfig::Sharded(shards) }
            }
        };
        make(self.shape, self.format).unwrap().with_memory(memory)
    }
}
