//! What a tensor is: shape, format, layout and memory; and a tensor that has an address.

use std::sync::Arc;

use crate::arch::Arch;

use super::accessor::{self, Accessor, PageAddr};
use super::error::TensorError;
use super::format::{DataFormat, TILE_DIM};
use super::layout::TileShape;
use super::memory::{MemoryConfig, PageMatrix, ShardGrid};

/// What one page of a tensor is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum TensorLayout {
    /// A 32x32 tile.
    #[default]
    Tile,
    /// A row of the last dimension (a stick), or the part of a row that lies in one shard.
    RowMajor,
}

/// A tensor without contents: its shape has at least one element, and its memory fits the shape.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TensorSpec {
    shape: Vec<usize>,
    format: DataFormat,
    layout: TensorLayout,
    memory: MemoryConfig,
}

impl TensorSpec {
    /// A tiled tensor, interleaved in DRAM.
    pub fn new(shape: impl Into<Vec<usize>>, format: DataFormat) -> Result<TensorSpec, TensorError> {
        let shape = shape.into();
        TileShape::new(&shape)?;
        Ok(TensorSpec { shape, format, layout: TensorLayout::Tile, memory: MemoryConfig::Dram })
    }

    /// A row-major tensor, interleaved in DRAM: its pages are its rows. Block floats have no rows.
    pub fn row_major(shape: impl Into<Vec<usize>>, format: DataFormat) -> Result<TensorSpec, TensorError> {
        let spec = TensorSpec { layout: TensorLayout::RowMajor, ..TensorSpec::new(shape, format)? };
        let Some(width) = format.element_bytes() else { return Err(TensorError::NoRows { format }) };
        let TileShape { batch, rows, cols } = spec.tiles();
        let bytes = cols as u64 * u64::from(width);
        // Aligned, it must still be a number of 32 bits.
        if bytes > u64::from(u32::MAX / 2) {
            return Err(TensorError::PageTooLarge { bytes });
        }
        // Even if every element is a page of its own.
        let pages = batch as u64 * rows as u64;
        if u32::try_from(pages).is_err() {
            return Err(TensorError::TooManyPages { pages });
        }
        Ok(spec)
    }

    /// The same tensor in other memory. Whether shards fit is known when there is a chip: see [`TensorSpec::check`].
    pub fn with_memory(mut self, memory: MemoryConfig) -> TensorSpec {
        self.memory = memory;
        self
    }

    /// The lengths of its dimensions, in elements.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The format of its elements.
    pub const fn format(&self) -> DataFormat {
        self.format
    }

    /// Tiles or rows.
    pub const fn layout(&self) -> TensorLayout {
        self.layout
    }

    /// Where it lies.
    pub const fn memory(&self) -> &MemoryConfig {
        &self.memory
    }

    /// Elements without padding.
    pub fn elements(&self) -> usize {
        self.tiles().elements()
    }

    /// The shape as tiles see it.
    pub fn tiles(&self) -> TileShape {
        // The constructor checked the shape; the fallback cannot be reached.
        TileShape::new(&self.shape).unwrap_or(TileShape { batch: 1, rows: 1, cols: 1 })
    }

    /// The shape with its last two dimensions (a 1-D shape: its only one, as one row of tiles) padded to whole tiles.
    pub fn padded_shape(&self) -> Vec<usize> {
        let mut out = self.shape.clone();
        if out.len() == 1 {
            out.insert(0, 1);
        }
        let from = out.len() - 2;
        for n in &mut out[from..] {
            *n = n.next_multiple_of(TILE_DIM as usize);
        }
        out
    }

    /// The tensor as one matrix of pages, all leading dimensions folded into the rows.
    pub(super) fn page_matrix(&self) -> PageMatrix {
        let shape = self.tiles();
        match self.layout {
            TensorLayout::Tile => PageMatrix {
                high: (shape.batch * shape.tile_rows()) as u64,
                wide: shape.tile_cols() as u64,
                unit: [TILE_DIM, TILE_DIM],
                columns: shape.tile_cols() as u64 * u64::from(TILE_DIM),
            },
            TensorLayout::RowMajor => {
                // A shard of no columns is refused when there is a chip.
                let columns = shape.cols as u64;
                let page = self.memory.shards().map_or(columns, |s| u64::from(s.shape[1]).max(1).min(columns));
                PageMatrix {
                    high: (shape.batch * shape.rows) as u64,
                    wide: columns.div_ceil(page),
                    unit: [1, page as u32],
                    columns,
                }
            }
        }
    }

    /// Pages: tiles, or rows.
    pub fn pages(&self) -> usize {
        let PageMatrix { high, wide, .. } = self.page_matrix();
        (high * wide) as usize
    }

    /// Bytes of a page, without alignment.
    pub fn page_size(&self) -> u32 {
        match (self.layout, self.format.element_bytes()) {
            (TensorLayout::RowMajor, Some(width)) => self.page_matrix().unit[1] * width,
            _ => self.format.tile_bytes(),
        }
    }

    /// The page size rounded up to the alignment of the tensor's memory: what a transfer of a whole page moves.
    pub fn aligned_page_size(&self, arch: &Arch) -> u32 {
        let alignment = if self.memory.is_dram() { arch.dram_alignment } else { arch.l1_alignment };
        self.page_size().next_multiple_of(alignment)
    }

    /// Pages of one shard, if the tensor is sharded. Shards that do not fit give a wrong number: see [`TensorSpec::check`].
    pub fn pages_of_shard(&self) -> Option<u32> {
        let [rows, cols] = self.memory.shards()?.shape;
        let [unit_rows, unit_cols] = self.page_matrix().unit;
        Some((rows / unit_rows).saturating_mul(cols / unit_cols))
    }

    /// Bytes of all pages together, as [`super::HostTensor::to_tiles`] makes them.
    pub fn bytes(&self) -> u64 {
        self.pages() as u64 * u64::from(self.page_size())
    }

    pub(super) fn shard_grid(&self, arch: &Arch) -> Result<Option<ShardGrid>, TensorError> {
        let grid = |s: &super::ShardSpec| s.grid(&self.page_matrix(), self.memory.is_dram(), arch);
        self.memory.shards().map(grid).transpose()
    }

    /// Whether the tensor's memory fits its shape and the chip.
    pub fn check(&self, arch: &Arch) -> Result<(), TensorError> {
        self.shard_grid(arch).map(|_| ())
    }

    /// Bytes that the tensor takes in each bank: a DRAM bank, or the L1 of a core.
    pub fn bytes_per_bank(&self, arch: &Arch) -> Result<u64, TensorError> {
        let pages = match self.shard_grid(arch)? {
            Some(grid) => {
                let [rows, cols] = grid.shard;
                // Usually one: there are as many banks as shards, or more.
                let shards = u64::from(grid.tensor[0].div_ceil(rows)) * u64::from(grid.tensor[1].div_ceil(cols));
                shards.div_ceil(grid.banks.len() as u64) * u64::from(rows) * u64::from(cols)
            }
            None => {
                let banks = match self.memory {
                    MemoryConfig::Dram => arch.dram_banks,
                    _ => arch.cores(),
                };
                (self.pages() as u64).div_ceil(u64::from(banks))
            }
        };
        Ok(pages * u64::from(self.aligned_page_size(arch)))
    }

    /// The compile-time words of `TensorAccessorArgs` for this tensor.
    pub fn accessor_words(&self, arch: &Arch) -> Result<Vec<u32>, TensorError> {
        let page = self.aligned_page_size(arch);
        Ok(match self.shard_grid(arch)? {
            Some(grid) => accessor::sharded_words(&grid, page, arch),
            None => accessor::interleaved_words(self.memory.is_dram(), page),
        })
    }

    /// The accessor of this tensor.
    pub fn accessor(&self, arch: &Arch) -> Result<Accessor, TensorError> {
        Ok(Accessor::decode(&self.accessor_words(arch)?, arch)?.0)
    }
}

/// Names a tensor among all tensors of all devices of a process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TensorId(pub u64);

/// A tensor in the memory of a device, as programs refer to it. Cheap to clone; owns nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorRef {
    /// Which tensor of the device.
    pub id: TensorId,
    /// For messages and exported files.
    pub name: Arc<str>,
    /// Shape, format, layout and place.
    pub spec: Arc<TensorSpec>,
    /// The same in every bank.
    pub address: u32,
    /// The device whose memory this is.
    pub device: u64,
}

impl TensorRef {
    /// Where each page lies, in order: for the host to read and write.
    pub fn page_addresses(&self, arch: &Arch) -> Result<impl Iterator<Item = PageAddr> + use<>, TensorError> {
        let accessor = self.spec.accessor(arch)?;
        let (base, pages) = (self.address, self.spec.pages() as u32);
        Ok((0..pages).map(move |page| accessor.locate(base, page, 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::CoreRange;
    use crate::tensor::memory::ShardSpec;

    #[test]
    fn sizes() {
        let spec = TensorSpec::new([2, 50, 70], DataFormat::Bf16).unwrap();
        assert_eq!(spec.elements(), 7000);
        assert_eq!(spec.padded_shape(), [2, 64, 96]);
        assert_eq!((spec.pages(), spec.page_size(), spec.bytes()), (12, 2048, 12 * 2048));
        let line = TensorSpec::new([100], DataFormat::F32).unwrap();
        assert_eq!(line.padded_shape(), [32, 128]);
        assert_eq!((line.pages(), line.page_size()), (4, 4096));
        assert!(TensorSpec::new([3, 0], DataFormat::F32).is_err());
    }

    #[test]
    fn rows_that_no_device_holds() {
        let e = TensorSpec::row_major([32, 1 << 29], DataFormat::F32).unwrap_err().to_string();
        assert_eq!(e, "a page of 2147483648 bytes is too large\n  = help: use shorter rows");
        let e = TensorSpec::row_major([1 << 32, 1], DataFormat::F32).unwrap_err().to_string();
        assert!(e.starts_with("the tensor has 4294967296 pages, more than 32 bits can count"), "{e}");
        assert!(e.contains("use longer rows, or split the tensor"), "{e}");
    }

    #[test]
    fn bytes_of_a_bank() {
        let spec = TensorSpec::new([1024, 1024], DataFormat::Bf16).unwrap();
        // ttnn puts the next tensor this far behind.
        assert_eq!(spec.bytes_per_bank(&Arch::blackhole()), Ok(262_144));
        assert_eq!(spec.bytes_per_bank(&Arch::wormhole()), Ok(176_128));
        let l1 = spec.clone().with_memory(MemoryConfig::L1);
        assert_eq!(l1.bytes_per_bank(&Arch::blackhole()), Ok(10 * 2048));
        let cores = CoreRange::grid(4, 1).unwrap();
        let shards = MemoryConfig::Sharded(ShardSpec::height([64, 96], cores));
        let spec = TensorSpec::new([192, 96], DataFormat::Bf16).unwrap().with_memory(shards);
        assert_eq!(spec.bytes_per_bank(&Arch::blackhole()), Ok(6 * 2048));
        assert_eq!(spec.check(&Arch::blackhole()), Ok(()));
    }
}
