//! Data formats, tile layout, and tensors in device memory.
//!
//! * [`mod@format`]: element formats; [`layout`]: row-major order and the face order of tiles;
//! * [`host`]: arrays on the host (their elements: `host_data`; block floats: `block_float`), [`npy`]: their files, [`compare`]: how far two of them are apart, [`random`]: inputs by seed;
//! * [`memory`]: where a tensor lies; [`spec`]: what a tensor is; [`accessor`]: the words by which a kernel finds its pages;
//! * [`alloc`]: who gets which addresses.

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
