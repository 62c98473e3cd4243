//! The first rung of the megakernel: matrix products only, fed by the weight stream.
//!
//! | file | who |
//! |---|---|
//! | `plan` | what all kernels of a launch agree on |
//! | `ring` | the ring of weight pages |
//! | `weights` | NCRISC of a compute core: weights and biases |
//! | `maths` | its compute engine |
//! | `activations` | its BRISC: inputs in, outputs to the hub |
//! | `hub` | both processors of the hub: gather and multicast |
//! | `relay` | both processors of a reader core (relay mode) |
//! | `assemble` | the program of all of them |
//! | `memory` | its tensors on a device |
//! | `steps4` | tensors of the whole loop, which stay between its runs |
//! | `launch` | what a launch does |
//! | `builder`, `launcher` | the program on a device, launch after launch |

pub mod activations;
pub mod assemble;
pub mod builder;
pub mod hub;
pub mod launch;
pub mod launcher;
pub mod maths;
mod memory;
pub mod plan;
pub mod relay;
pub mod ring;
pub mod steps4;
pub mod weights;
pub use builder::Builder;
pub use launch::{DescriptorStats, KernelGroups, Launch};
pub use launcher::DitMegakernel;
