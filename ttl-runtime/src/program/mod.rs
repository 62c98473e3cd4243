//! Programs: which kernels run on which cores, with which buffers, semaphores and arguments.
//!
//! In the order in which things happen:
//! * [`decl`]: a [`Program`] is plain data, filled by a builder;
//! * [`validate`](Program::validate) finds every mistake at once ([`error`]) and resolves what is left open: buffer and semaphore ids,
//!   L1 addresses ([`l1_plan`]), and the words of all arguments, whose places [`arg_layout`] alone decides;
//! * `shared`: buffers that lie in the memory of another;
//! * [`foreign`]: arguments of hand-written C++ kernels, whose words stand where the host puts them;
//! * [`checked`]: the result, the only thing that can be launched, emitted or exported;
//! * [`export`]: a checked program as a directory of files that other tools can run.
//!
//! Nothing here knows the kernel IR or a device: the code of a kernel is whatever type `K` the caller wants to carry along.

pub mod arg_layout;
pub mod checked;
pub mod decl;
pub mod error;
pub mod export;
mod export_foreign;
pub mod foreign;
pub mod l1_plan;
pub mod pipe;
mod shared;
pub mod typed;
mod validate;

pub use crate::cores::{CoreRange, CoreSet};
pub use arg_layout::{ArgLayout, ParamKind, Slot};
pub use checked::{Checked, CheckedCb, CheckedKernel, CheckedSemaphore};
pub use decl::{
    Arg, ArgValue, CbDecl, CbEnd, CbId, CoreOf, CoreValues, DeviceInfo, KernelDecl, L1Tensor, Processor, Program, Role,
    SemDecl, SemId,
};
pub use error::{ProblemKind, ProgramError, ProgramErrors};
pub use foreign::{CheckedForeign, ForeignArgs, Word};
pub use l1_plan::L1Plan;
pub use pipe::{PipeArg, PipeDecl, PipeEnd, PipeId, PipeKind, PipeUse, Route};
