//! Which form of a kernel a row gets: whole in L1, or in blocks.

use super::Cut;
use ttl::prelude::*;

/// Tiles of a block where rows go through L1 in blocks.
const BLOCK: u32 = 8;

/// How rows are taken through L1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// Whole if they fit, else in blocks.
    #[default]
    Auto,
    /// Whole: each element is read once.
    Whole,
    /// In blocks of a few tiles: each element is read as often as it is needed.
    Blocks,
}

/// Settings of kernels along rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowOptions {
    /// How rows are taken through L1.
    pub form: Form,
    /// Bytes of L1 that circular buffers may take on each core.
    pub l1: u32,
}

impl RowOptions {
    /// What a device has left beside the tensors in its L1.
    pub fn on(device: &Device) -> RowOptions {
        RowOptions { l1: device.l1_left(), ..RowOptions::default() }
    }
}

/// A chip without tensors in L1, whichever.
impl Default for RowOptions {
    fn default() -> RowOptions {
        let left = |arch: Arch| arch.l1_size - arch.l1_base;
        RowOptions { form: Form::Auto, l1: left(Arch::wormhole()).min(left(Arch::blackhole())) }
    }
}

/// How rows fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fit {
    /// Rows in blocks.
    pub cut: Cut,
    /// Blocks that a buffer between two threads has.
    pub depth: u32,
}

impl Fit {
    /// Whether a row lies in L1 as one block.
    pub fn whole(&self) -> bool {
        self.cut.blocks == 1
    }

    /// Decides for rows of a tensor. `bytes(block, depth)` says what all buffers take for blocks of so many tiles.
    pub fn of<T: Element>(
        what: &str,
        x: &Tensor<T>,
        options: &RowOptions,
        bytes: impl Fn(u32, u32) -> u64,
    ) -> ttl::Result<Fit> {
        let width = x.tile_cols();
        let columns = x.shape().last().map_or(1, |c| *c as u32) - 32 * (width - 1);
        let l1 = u64::from(options.l1);
        if options.form != Form::Blocks {
            for depth in [2, 1] {
                if bytes(width, depth) <= l1 {
                    return Ok(Fit { cut: Cut::new(width, width, columns), depth });
                }
            }
        }
        if options.form == Form::Whole {
            return Err(ttl::Error::Other(format!(
                "{what} of {:?}: a row of {width} tiles takes {} bytes of L1 as a whole, {l1} are there; let it go through L1 in blocks (`Form::Auto`)",
                x.shape(),
                bytes(width, 1)
            )));
        }
        let mut block = BLOCK.min(width);
        while block > 1 && bytes(block, 2) > l1 {
            block /= 2;
        }
        if bytes(block, 2) > l1 {
            return Err(ttl::Error::Other(format!(
                "{what} of {:?}: blocks of one tile take {} bytes of L1, {l1} are there; free tensors in L1",
                x.shape(),
                bytes(block, 2)
            )));
        }
        Ok(Fit { cut: Cut::new(width, block, columns), depth: 2 })
    }
}

/// The lowest number as padding: the word of an f32, or of two bf16.
pub fn lowest(format: DataFormat) -> u32 {
    match format {
        DataFormat::F32 => f32::MIN.to_bits(),
        _ => 0xFF7F_FF7F,
    }
}

/// Bytes of a tile.
pub(crate) fn tile<T: Element>() -> u64 {
    u64::from(T::FORMAT.tile_bytes())
}

/// How a row of `gamma` or `beta` is read where it stays in L1 as a whole.
pub(crate) fn parts(width: u32, block: u32) -> Cut {
    Cut::new(width, block.min(BLOCK), 32)
}

/// Pages through which such a row comes; one where there is none.
pub(crate) fn staged(block: u32, present: u32) -> u32 {
    if present > 0 { 2 * block.min(BLOCK) } else { 1 }
}

/// All tensors, by name, have the shape of the first, and elements whose padding the readers can set.
pub fn same_shapes<T: Element>(what: &str, tensors: &[(&str, &Tensor<T>)]) -> ttl::Result<()> {
    if !matches!(T::FORMAT, DataFormat::Bf16 | DataFormat::F32) {
        return Err(ttl::Error::Other(format!("{what} of {:?} tensors: they must be bf16 or f32", T::FORMAT)));
    }
    for pair in tensors.windows(2) {
        let [(a, first), (b, second)] = pair else { continue };
        if first.shape() != second.shape() {
            return Err(ttl::Error::Other(format!(
                "{what}: `{a}` has shape {:?}, `{b}` has shape {:?}; they must be equal",
                first.shape(),
                second.shape()
            )));
        }
    }
    Ok(())
}

/// One row of the width of `x`.
pub fn is_row<T: Element>(what: &str, name: &str, row: &Tensor<T>, x: &Tensor<T>) -> ttl::Result<()> {
    let width = x.shape().last().copied().unwrap_or(1);
    let elements: usize = row.shape().iter().product();
    if row.shape().last() == Some(&width) && elements == width {
        return Ok(());
    }
    Err(ttl::Error::Other(format!(
        "{what}: `{name}` has shape {:?}; it must be one row of {width} elements, as wide as `x`",
        row.shape()
    )))
}
