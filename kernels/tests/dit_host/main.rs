//! The host side of the DiT megakernel. Tests of the inventory carry the number of their item.

mod arena;
mod cores;
mod numbers;
mod ops;
mod references;
mod tables;
