//! Where a tensor lies: interleaved over all banks of DRAM or L1, or cut into shards, one per core in L1 or one per DRAM bank.

use std::fmt;

use crate::arch::{Arch, Core};
use crate::cores::CoreSet;

use super::error::TensorError;
use super::format::TILE_DIM;

/// The memory of a tensor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum MemoryConfig {
    /// Page `p` lies in DRAM bank `p % banks`.
    #[default]
    Dram,
    /// Page `p` lies in the L1 of core `p % cores` of the grid, counted row by row.
    L1,
    /// One shard of the tensor in the L1 of each of some cores.
    Sharded(ShardSpec),
    /// One shard of the tensor in each of some DRAM banks: the "cores" of the shards are `(bank, 0)`.
    DramSharded(ShardSpec),
}

impl MemoryConfig {
    /// Whether it is in DRAM.
    pub const fn is_dram(&self) -> bool {
        matches!(self, MemoryConfig::Dram | MemoryConfig::DramSharded(_))
    }

    /// How the tensor is cut, if it is.
    pub const fn shards(&self) -> Option<&ShardSpec> {
        match self {
            MemoryConfig::Dram | MemoryConfig::L1 => None,
            MemoryConfig::Sharded(s) | MemoryConfig::DramSharded(s) => Some(s),
        }
    }
}

impl fmt::Display for MemoryConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryConfig::Dram => f.write_str("DRAM, interleaved"),
            MemoryConfig::L1 => f.write_str("L1, interleaved"),
            MemoryConfig::Sharded(s) => {
                write!(f, "L1, {}-sharded in {}x{} on {}", s.layout.name(), s.shape[0], s.shape[1], s.cores)
            }
            MemoryConfig::DramSharded(s) => {
                write!(f, "DRAM, {}-sharded in {}x{} on banks {}", s.layout.name(), s.shape[0], s.shape[1], s.cores)
            }
        }
    }
}

/// How a tensor, seen as one matrix with all leading dimensions folded into its rows, is cut.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShardLayout {
    /// Into bands of full width.
    Height,
    /// Into bands of full height.
    Width,
    /// Into blocks, laid out on a rectangle of cores.
    Block,
}

impl ShardLayout {
    /// As messages call it.
    pub const fn name(self) -> &'static str {
        match self {
            ShardLayout::Height => "height",
            ShardLayout::Width => "width",
            ShardLayout::Block => "block",
        }
    }
}

/// In which order shards go to cores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Orientation {
    /// Row by row; block sharding puts shard row r, column c on the core at x = c, y = r of the rectangle.
    #[default]
    Row,
    /// Column by column; block sharding puts it at x = r, y = c.
    Col,
}

/// How a tensor is cut into shards, and where they are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ShardSpec {
    /// Whether rows, columns or both are cut.
    pub layout: ShardLayout,
    /// Rows and columns of a shard in elements: multiples of 32 for a tiled tensor.
    pub shape: [u32; 2],
    /// The cores that have shards, in order.
    pub cores: CoreSet,
    /// In which order the cores of a rectangle get them.
    pub orientation: Orientation,
}

/// A tensor's shards counted in pages, and the cores (or banks) in the order of the shards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ShardGrid {
    pub tensor: [u32; 2],
    pub shard: [u32; 2],
    pub banks: Vec<Core>,
    pub dram: bool,
}

/// A tensor as one matrix of pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PageMatrix {
    pub high: u64,
    pub wide: u64,
    /// Rows and columns of a page in elements: a tile, or a piece of a row.
    pub unit: [u32; 2],
    /// Columns in elements, padded for tiles.
    pub columns: u64,
}

impl ShardSpec {
    /// Shards of `shape` elements in L1, one to a core, in the order of `orientation`.
    pub fn new(layout: ShardLayout, shape: [u32; 2], cores: impl Into<CoreSet>, orientation: Orientation) -> ShardSpec {
        ShardSpec { layout, shape, cores: cores.into(), orientation }
    }

    /// Shards of whole rows: `shape` is rows and columns of one, in elements.
    pub fn height(shape: [u32; 2], cores: impl Into<CoreSet>) -> ShardSpec {
        ShardSpec::new(ShardLayout::Height, shape, cores, Orientation::Row)
    }

    /// Shards of whole columns: `shape` is rows and columns of one, in elements.
    pub fn width(shape: [u32; 2], cores: impl Into<CoreSet>) -> ShardSpec {
        ShardSpec::new(ShardLayout::Width, shape, cores, Orientation::Row)
    }

    /// Shards cut both ways, over a rectangle of cores: `shape` is rows and columns of one, in elements.
    pub fn block(shape: [u32; 2], cores: impl Into<CoreSet>) -> ShardSpec {
        ShardSpec::new(ShardLayout::Block, shape, cores, Orientation::Row)
    }

    /// Over the first banks of DRAM: shards of `shape` in banks `0..banks`, for [`MemoryConfig::DramSharded`].
    pub fn width_over_banks(shape: [u32; 2], banks: u32) -> ShardSpec {
        ShardSpec::width(shape, (0..banks).map(|bank| Core::new(bank, 0)).collect::<CoreSet>())
    }

    /// Checks the shards against a tensor and a chip, and finds the cores of the shards.
    pub(super) fn grid(&self, pages: &PageMatrix, dram: bool, arch: &Arch) -> Result<ShardGrid, TensorError> {
        let [rows, cols] = self.shape;
        let [unit_rows, unit_cols] = pages.unit;
        let tiled = pages.unit == [TILE_DIM, TILE_DIM];
        if tiled && (rows == 0 || cols == 0 || rows % TILE_DIM != 0 || cols % TILE_DIM != 0) {
            return Err(TensorError::ShardNotTiles { shape: self.shape });
        }
        if rows == 0 || cols == 0 {
            return Err(TensorError::ShardEmpty { shape: self.shape });
        }
        let PageMatrix { high, wide, .. } = *pages;
        let (shard_high, shard_wide) = (u64::from(rows / unit_rows), u64::from(cols / unit_cols));
        let tall = high * u64::from(unit_rows);
        let wrong_shape = |need: String| TensorError::ShardShape {
            layout: self.layout.name(),
            tensor: [tall, pages.columns],
            padded: if tiled { " (padded to tiles)" } else { "" },
            shard: self.shape,
            need,
        };
        if !tiled && u64::from(cols) > pages.columns {
            return Err(wrong_shape(format!("at most the full width, {}", pages.columns)));
        }
        // A shard may be larger than what is left of the tensor in its cut direction only.
        match self.layout {
            ShardLayout::Height if u64::from(cols) != pages.columns => {
                return Err(wrong_shape(format!("the full width, {}", pages.columns)));
            }
            ShardLayout::Width if shard_high != high => {
                return Err(wrong_shape(format!("the full height, {tall}")));
            }
            _ => {}
        }
        let there = |c: Core| if dram { c.y == 0 && c.x < arch.dram_banks } else { arch.contains(c) };
        let outside: CoreSet = self.cores.iter().filter(|&c| !there(c)).collect();
        if !outside.is_empty() {
            let on = outside.to_string();
            return Err(if dram {
                TensorError::ShardOutsideBanks { on, banks: arch.dram_banks }
            } else {
                TensorError::ShardOutsideGrid { on, grid: (arch.grid_x, arch.grid_y) }
            });
        }
        let (down, across) = (high.div_ceil(shard_high), wide.div_ceil(shard_wide));
        let too_many = || TensorError::TooManyShards {
            shards: down * across,
            shard: self.shape,
            cores: self.cores.len(),
            on: self.cores.to_string(),
        };
        let banks: Vec<Core> = match self.layout {
            ShardLayout::Height | ShardLayout::Width => {
                if down * across > self.cores.len() as u64 {
                    return Err(too_many());
                }
                let mut cores = self.cores.as_slice().to_vec();
                if self.orientation == Orientation::Col {
                    cores.sort_by_key(|c| (c.x, c.y));
                }
                cores
            }
            ShardLayout::Block => {
                let rectangle =
                    self.cores.as_rectangle().ok_or_else(|| TensorError::ShardCores { on: self.cores.to_string() })?;
                let (x_most, y_most) = match self.orientation {
                    Orientation::Row => (across, down),
                    Orientation::Col => (down, across),
                };
                if x_most > u64::from(rectangle.width()) || y_most > u64::from(rectangle.height()) {
                    return Err(too_many());
                }
                // Bounded by the rectangle, so by the grid.
                let (down, across) = (down as u32, across as u32);
                let at = |r: u32, c: u32| match self.orientation {
                    Orientation::Row => (c, r),
                    Orientation::Col => (r, c),
                };
                let first = rectangle.first();
                (0..down)
                    .flat_map(|r| (0..across).map(move |c| at(r, c)))
                    .map(|(x, y)| Core::new(first.x + x, first.y + y))
                    .collect()
            }
        };
        let narrow =
            |n: u64| u32::try_from(n).map_err(|_| TensorError::TooManyPages { pages: high.saturating_mul(wide) });
        Ok(ShardGrid {
            tensor: [narrow(high)?, narrow(wide)?],
            shard: [rows / unit_rows, cols / unit_cols],
            banks,
            dram,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::CoreRange;
    use crate::tensor::{DataFormat, TensorSpec};

    fn grid(x: u32, y: u32) -> CoreSet {
        CoreRange::grid(x, y).unwrap().into()
    }

    fn error(shape: &[usize], spec: &ShardSpec) -> String {
        let tensor = TensorSpec::new(shape, DataFormat::Bf16).unwrap().with_memory(MemoryConfig::Sharded(spec.clone()));
        tensor.check(&Arch::blackhole()).unwrap_err().to_string()
    }

    #[test]
    fn bad_shards_are_refused() {
        assert_eq!(
            error(&[64, 64], &ShardSpec::height([20, 64], grid(2, 1))),
            "shard shape 20x64 does not consist of whole tiles\n  = help: both sides must be multiples of 32, and not 0"
        );
        assert_eq!(
            error(&[64, 64], &ShardSpec::height([0, 64], grid(2, 1))).lines().next(),
            Some("shard shape 0x64 does not consist of whole tiles")
        );
        assert_eq!(
            error(&[64, 90], &ShardSpec::height([32, 64], grid(2, 1))),
            "a height-sharded tensor of 64x96 (padded to tiles) needs shards of the full width, 96, not 32x64\n  = help: change the shape of the shards, or shard it another way"
        );
        assert_eq!(
            error(&[64, 96], &ShardSpec::width([32, 32], grid(3, 1))),
            "a width-sharded tensor of 64x96 (padded to tiles) needs shards of the full height, 64, not 32x32\n  = help: change the shape of the shards, or shard it another way"
        );
        assert_eq!(
            error(&[320, 96], &ShardSpec::height([64, 96], grid(4, 1))),
            "5 shards of 64x96 do not fit 4 cores ((0,0)-(3,0))\n  = help: use larger shards or more cores"
        );
        assert_eq!(
            error(&[128, 256], &ShardSpec::block([64, 64], grid(3, 2))).lines().next(),
            Some("8 shards of 64x64 do not fit 6 cores ((0,0)-(2,1))")
        );
        let corner: CoreSet = [Core::new(0, 0), Core::new(1, 0), Core::new(0, 1)].into_iter().collect();
        assert_eq!(
            error(&[64, 64], &ShardSpec::block([32, 32], corner)),
            "block sharding needs a rectangle of cores, not (0,0)-(1,0), (0,1)\n  = help: give it one `CoreRange`"
        );
        assert_eq!(
            error(&[384, 32], &ShardSpec::height([32, 32], grid(12, 1))),
            "the shards lie on (11,0), outside the grid of 11x10 cores\n  = help: take the grid from the device instead of fixing it"
        );
    }

    #[test]
    fn bad_shards_of_rows_and_banks_are_refused() {
        let rows = |shape: &[usize], memory: MemoryConfig| {
            let spec = TensorSpec::row_major(shape, DataFormat::Bf16).unwrap().with_memory(memory);
            spec.check(&Arch::blackhole()).map_err(|e| e.to_string())
        };
        assert_eq!(rows(&[50, 70], MemoryConfig::Sharded(ShardSpec::height([16, 70], grid(4, 1)))), Ok(()));
        assert_eq!(
            rows(&[50, 70], MemoryConfig::Sharded(ShardSpec::height([16, 64], grid(4, 1)))),
            Err("a height-sharded tensor of 50x70 needs shards of the full width, 70, not 16x64\n  = help: change the shape of the shards, or shard it another way".into())
        );
        assert_eq!(
            rows(&[50, 70], MemoryConfig::Sharded(ShardSpec::width([0, 32], grid(4, 1)))),
            Err("shard shape 0x32 is empty\n  = help: both sides must be at least 1".into())
        );
        assert_eq!(rows(&[50, 70], MemoryConfig::DramSharded(ShardSpec::width_over_banks([50, 9], 8))), Ok(()));
        assert_eq!(
            rows(&[50, 70], MemoryConfig::DramSharded(ShardSpec::width_over_banks([50, 7], 10))),
            Err("the shards lie on banks (8,0)-(9,0), but DRAM has the banks (0,0) to (7,0)\n  = help: a bank is named by (bank, 0)".into())
        );
    }
}
