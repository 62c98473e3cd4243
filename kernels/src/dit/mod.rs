//! The DiT megakernel: the denoising loop of the GR00T action head as one device program.
//!
//! | file | holds |
//! |---|---|
//! | `consts` | numbers that no configuration changes |
//! | `config` | the networks, and scaled versions of them |
//! | `core_set`, `core_map` | which compute cores share an operation; which core of the grid plays which role |
//! | `op`, `geometry` | the streamed operations and where their weights lie, as device functions |
//! | `offsets` | the words of the offsets table, as device functions |
//! | `error` | every refusal |
//!
//! Nothing here needs a device but what launches programs.

pub mod config;
pub mod consts;
pub mod core_map;
pub mod core_set;
pub mod error;
pub mod geometry;
pub mod k1;
pub mod offsets;
pub mod op;

pub use config::{DitConfig, KeySet, ReaderMode, StreamDtype, Version};
pub use core_map::{CoreMap, CoreRole, noc_word};
pub use core_set::CoreSet;
pub use error::{MegakernelError, Result};
pub use geometry::{OpGeom, TailGeom};
pub use op::{In0Order, K1Mode, Op, TailOp};
