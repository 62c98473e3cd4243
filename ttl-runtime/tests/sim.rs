//! The simulated chip, run with hand-made launches whose kernels are Rust closures that call `sim::ops`.

#[macro_use]
#[path = "sim/harness.rs"]
mod harness;

#[path = "sim/circular_buffers.rs"]
mod circular_buffers;
#[path = "sim/compute.rs"]
mod compute;
#[path = "sim/cores.rs"]
mod cores;
#[path = "sim/deadlocks.rs"]
mod deadlocks;
#[path = "sim/debugging.rs"]
mod debugging;
#[path = "sim/launches.rs"]
mod launches;
#[path = "sim/operands.rs"]
mod operands;
#[path = "sim/pipelines.rs"]
mod pipelines;
#[path = "sim/reads.rs"]
mod reads;
#[path = "sim/refused.rs"]
mod refused;
#[path = "sim/tile_calls.rs"]
mod tile_calls;
#[path = "sim/timeline.rs"]
mod timeline;
#[path = "sim/transfers.rs"]
mod transfers;
#[path = "sim/traps.rs"]
mod traps;
#[path = "sim/uneven.rs"]
mod uneven;
