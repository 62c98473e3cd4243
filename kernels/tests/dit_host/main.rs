//! The host side of the DiT megakernel. Tests of the inventory carry the number of their item.

mod arena;
mod budgets;
mod calls;
mod checkpoints;
mod cores;
mod launches;
mod model;
mod numbers;
mod ops;
mod programs;
mod references;
mod tables;
