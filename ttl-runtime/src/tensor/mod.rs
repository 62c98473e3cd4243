//! Data formats, tile layout, and tensors in device memory.

pub mod format;
