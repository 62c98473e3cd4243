//! TT-Metalium C++ kernels on the simulated chip: compiled for the host, loaded, and run as kernel threads of [`crate::sim`].
//!
//! A kernel's source, generated or hand-written, is compiled as it is. The headers in `include/` have the names of TT-Metalium's and
//! declare what this version simulates; each function passes the call and its place (file and line, which `#line` makes those of the
//! Rust source) through a table of C functions to [`crate::sim::ops`], the functions that native kernels use too. So the two engines can
//! only differ in the kernel itself. A function that is not there is a compile error with its name.
//!
//! | file | what lives there |
//! |---|---|
//! | `source` | one kernel to build: its text and its constants, and the C++ file made of them |
//! | `compiler` | finding the C++ compiler, its flags, building in parallel |
//! | `cache` | folder of compiled kernels, and writing files so that several processes can do it at once |
//! | `empty_headers` | headers of which nothing is simulated |
//! | `headers` | the headers, and the one that is generated: table and constants |
//! | `split_includes` | the header with which kernels choose others |
//! | `table` | the table of functions that kernels call (unsafe code) |
//! | `missing` | what a hand-written kernel calls and the headers do not have |
//! | `print` | what kernels print (unsafe code) |
//! | `place` | file names that come from C++ as Rust strings (unsafe code) |
//! | `load` | shared objects as kernels (unsafe code) |
//!
//! # What C++ kernels may do here
//!
//! `reinterpret_cast` of an L1 address gives a pointer into the L1 of the kernel's own core (checked), so words in L1 can be read and
//! written through it; a C-style cast of a 32-bit address to a pointer does not compile. A pointer moved past the end of L1 is not
//! noticed. A loop that polls L1 through a pointer and calls nothing never gives way to other threads: use `noc_semaphore_wait`.
//!
//! What C++ leaves undefined and Rust does not (division by zero, signed overflow, shifts by too much, an index past an array, a float
//! that does not fit an integer) ends the run with an error at the line.

mod cache;
mod compiler;
mod empty_headers;
mod error;
mod headers;
mod load;
mod missing;
mod op_headers;
mod place;
mod print;
mod source;
mod split_includes;
mod table;
#[cfg(test)]
mod tests;

pub use compiler::CppCompiler;
pub use error::CppError;
pub use load::CppKernel;
pub use missing::Missing;
pub use source::{CppSource, KernelKind};
pub use table::counting;

use std::sync::Arc;

/// Builds kernels with the compiler of this machine; see [`CppCompiler::build`].
pub fn build(kernels: &[CppSource]) -> Result<Vec<Arc<CppKernel>>, CppError> {
    CppCompiler::find()?.build(kernels)
}
