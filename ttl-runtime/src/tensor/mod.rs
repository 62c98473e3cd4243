//! Data formats, tile layout, and tensors in device memory.
//!
//! * [`mod@format`]: element formats; [`layout`]: row-major order and the face order of tiles;
//! * [`host`]: arrays on the host (their elements: `host_data`; block floats: `block_float`), [`npy`]: their files, [`compare`]: how far two of them are apart, [`random`]: inputs by seed;
//! * [`memory`]: where a tensor lies; [`spec`]: what a tensor is; [`accessor`]: the words by which a kernel finds its pages;
//! * `pages`: host tensors as the pages of a device tensor;
//! * [`alloc`]: who gets which addresses.

//!
//! # Padding
//!
//! The last two dimensions of a tiled tensor are padded to multiples of 32. The host writes zeros there ([`HostTensor::to_tiles`]), or a value
//! of choice, and never reads them. Kernels work on whole tiles, so the padding takes part in everything:
//!
//! | after | the padding holds | and so |
//! | --- | --- | --- |
//! | upload, zeros | 0 | |
//! | an operation element by element | its result for 0, `exp` 1, `recip` infinity | clear it before anything adds it up |
//! | a matrix product | rows and columns of padding: 0 | the inner dimension must hold 0 on *both* sides: 0 times infinity is none |
//! | a sum over rows or columns | | needs 0 |
//! | a mean | | needs 0, and a scaler of 1 / (number of elements), not of 1 / (number of padded ones) |
//! | a maximum | | needs minus infinity, or a value below all others: with 0, rows of negative numbers give 0 |
//! | packing to block floats | | 16 neighbours share an exponent: large values in the padding cost precision beside it |
//!
//! Padding that does not suit is replaced when the tensor is made (`Device::upload_padded`), or in the kernel: by a mask tile or by a
//! scaler tile with zeros for the columns that are none.

pub mod accessor;
pub mod alloc;
mod block_float;
pub mod compare;
mod error;
pub mod format;
pub mod host;
mod host_data;
pub mod layout;
pub mod memory;
pub mod npy;
mod pages;
pub mod random;
pub mod spec;

pub use accessor::{Accessor, AccessorError, PageAddr};
pub use alloc::{DramAllocator, L1Allocator};
pub use compare::Comparison;
pub use error::TensorError;
pub use format::{DataFormat, Element, bfp4_b, bfp8_b};
pub use host::HostTensor;
pub use host_data::HostData;
pub use memory::{MemoryConfig, Orientation, ShardLayout, ShardSpec};
pub use npy::NpyError;
pub use spec::{TensorId, TensorLayout, TensorRef, TensorSpec};
