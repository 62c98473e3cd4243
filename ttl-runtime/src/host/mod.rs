//! What a host program calls: devices, tensors on them, programs of kernels, and their two engines.
//!
//! This is where the pieces meet: `program` (what is declared and validated), `rt` and `ir` (what the kernels are), `codegen` (their
//! C++), `sim` and `cpp` (where they run). A [`Device`] runs [`CheckedProgram`]s and nothing else.

mod checked_program;
mod device;
mod dump;
mod engine;
mod error;
mod export;
mod exported_runs;
mod foreign;
mod program;
mod report;
mod temps;
mod tensor;
pub mod testing;

pub use checked_program::CheckedProgram;
pub use device::{Backend, Device, DeviceOptions, Engine};
pub use error::{Error, Result};
pub use foreign::{ForeignKernel, ForeignSource};
pub use program::{DmNoc, DmProcessor, KernelCode, Program, RustCode};
pub use tensor::Tensor;
