//! Kernel IR built by hand, through verifier, passes and C++ writer.

mod barriers;
mod build;
mod golden;
mod kernels;
mod passes;
mod run_cpp;
mod semantics;
mod undo;
mod verify;
