//! The matmul-only rung of the DiT megakernel: one program over all roles of cores, native and as generated C++.

mod constants;
mod counts;
#[path = "../common/golden.rs"]
mod files;
mod launcher;
mod protocol;
mod results;
mod rig;
mod tables;
