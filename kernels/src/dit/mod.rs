//! The DiT megakernel: the denoising loop of the GR00T action head as one device program.
//!
//! | file | holds |
//! |---|---|
//! | `consts` | numbers that no configuration changes |
//! | `config` | the networks, and scaled versions of them |
//! | `core_set`, `core_map` | which compute cores share an operation; which core of the grid plays which role |
//! | `op`, `geometry` | the streamed operations and where their weights lie, as device functions |
//! | `offsets` | the words of the offsets table, as device functions |
//! | `plan` | the weights of a network by name, random or given |
//! | `hoist` | plans from a [`Checkpoint`] |
//! | `arena`, `pack`, `tables` | where every tile lies in the banks, its bytes, and the tables beside them |
//! | `check` | the kernels' geometry against the arena |
//! | `matrix` | matrices on the host |
//! | `budget` | L1, rings that make progress, the checks of a constructor |
//! | `knobs` | variants, debugging, profiling |
//! | `io`, `cta`, `words` | tensors of a program in order, compile-time names, runtime words |
//! | `launch` | what a launch of the full program needs |
//! | `bindings` | keys, values, masks, noise and state of a call |
//! | `readback` | results out of the shapes of the device |
//! | `rate` | rates without the cost of a launch |
//! | `reference` | what the device should compute, from the packed bytes |
//! | `error` | every refusal |
//!
//! Nothing here needs a device but what launches programs.

pub mod arena;
pub mod bindings;
pub mod budget;
pub mod check;
pub mod config;
pub mod consts;
pub mod core_map;
pub mod core_set;
pub mod cta;
pub mod error;
pub mod geometry;
pub mod hoist;
pub mod io;
pub mod k1;
pub mod knobs;
pub mod launch;
pub mod matrix;
pub mod offsets;
pub mod op;
pub mod pack;
pub mod plan;
pub mod rate;
pub mod readback;
pub mod reference;
pub mod tables;
pub mod words;

pub use crate::checkpoint::Checkpoint;
pub use arena::{ArenaLayout, ArenaOp, ArenaOptions, ArenaPart, Split, TileOrder};
pub use budget::{CbBudget, K4Budget, Policy, Ring, RingPolicy};
pub use check::{check_kernel_geometry, check_tail_geometry, k4_tw_tiles, kernel_geometry, tail_kernel_geometry};
pub use config::{DitConfig, KeySet, ReaderMode, StreamDtype, Version};
pub use core_map::{CoreMap, CoreRole, noc_word};
pub use core_set::CoreSet;
pub use error::{MegakernelError, Result};
pub use geometry::{OpGeom, TailGeom};
pub use hoist::Hoist;
pub use io::{Io, IoList, IoName, mask_presence};
pub use knobs::{DebugKnob, HubKnobs, Variant};
pub use matrix::Matrix;
pub use offsets::OffsetsTable;
pub use op::{In0Order, K1Mode, Op, TailOp};
pub use pack::ArenaPack;
pub use plan::{Plan, enumerate_plan};
pub use rate::{Rate, measure_rate};
pub use tables::Tables;
pub use words::{CommonArgs, K1Words, K4Words};
