//! Tensors in device memory, as the host holds them.

use crate::program::typed::TensorArg;
use crate::tensor::format::{Element, TILE_DIM};
use crate::tensor::{TensorRef, TensorSpec};
use std::fmt;
use std::marker::PhantomData;

/// A tensor of `T` elements in the memory of a device. A handle: clones mean the same memory.
///
/// ```
/// # use half::bf16;
/// # use ttl_runtime::host::{Device, Result};
/// # use ttl_runtime::tensor::HostTensor;
/// # fn main() -> Result<()> {
/// let mut device = Device::open()?;
/// let x = device.upload::<bf16>("x", &HostTensor::normal([2, 40, 70], 0)?)?;
/// // In tiles of 32 x 32 elements, padded with zeros: each of the two matrices is 2 x 3 tiles.
/// assert_eq!((x.shape(), x.pages(), x.tile_rows(), x.tile_cols()), (&[2, 40, 70][..], 12, 4, 3));
/// let argument = x.accessor();                        // what a kernel gets for a `TensorAccessor<bf16>`
/// # let _ = argument;
/// # Ok(())
/// # }
/// ```
pub struct Tensor<T> {
    pub(super) tensor: TensorRef,
    _format: PhantomData<T>,
}

impl<T: Element> Tensor<T> {
    pub(super) fn new(tensor: TensorRef) -> Tensor<T> {
        Tensor { tensor, _format: PhantomData }
    }

    /// For a kernel's `TensorAccessor<T>`.
    pub fn accessor(&self) -> TensorArg<T> {
        TensorArg::new(self.tensor.clone())
    }

    /// The tensor without its element type.
    pub fn handle(&self) -> &TensorRef {
        &self.tensor
    }

    /// Shape, format, layout and place.
    pub fn spec(&self) -> &TensorSpec {
        &self.tensor.spec
    }

    /// Elements along each dimension, without padding.
    pub fn shape(&self) -> &[usize] {
        self.spec().shape()
    }

    /// Pages: tiles of the padded shape, or rows (parts of rows, where the tensor is cut) of a row-major tensor.
    pub fn pages(&self) -> u32 {
        self.spec().pages() as u32
    }

    /// Pages of a shard, 0 if the tensor is not sharded.
    pub fn shard_pages(&self) -> u32 {
        self.spec().pages_of_shard().unwrap_or(0)
    }

    /// Tiles along the last dimension.
    pub fn tile_cols(&self) -> u32 {
        let cols = self.shape().last().copied().unwrap_or(1);
        (cols as u32).div_ceil(TILE_DIM)
    }

    /// Rows of tiles, over all leading dimensions.
    pub fn tile_rows(&self) -> u32 {
        let tiles = self.spec().tiles();
        (tiles.batch * tiles.tile_rows()) as u32
    }
}

impl<T> Clone for Tensor<T> {
    fn clone(&self) -> Self {
        Tensor { tensor: self.tensor.clone(), _format: PhantomData }
    }
}

impl<T> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({} {:?})", self.tensor.name, self.tensor.spec.shape())
    }
}
