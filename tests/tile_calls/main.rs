//! Explicit tile calls in kernels: natively and as generated C++ the same bytes, and the right ones.

mod across;
mod broadcasts;
#[path = "../common/golden.rs"]
mod files;
mod golden;
mod harness;
mod packing;
mod reductions;
