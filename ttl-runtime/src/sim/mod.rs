//! The simulated chip: cores, L1, DRAM banks, NoC, tile registers, scheduler and diagnostics.
//!
//! [`machine::Machine`] owns the memories and runs a [`launch::Launch`]: circular buffers, semaphores and kernel threads on
//! cores. Every kernel thread is a stackful coroutine; what it can do is [`ops`]. A run goes in *epochs*:
//!
//! 1. Each core runs its threads, round-robin, until all of them are blocked. A core touches only its own L1, its own
//!    circular buffers and its own queue of outgoing NoC operations; it may read DRAM, which nobody changes in an epoch. So
//!    cores run on several OS threads without locks, and the result does not depend on how many.
//! 2. At the *boundary* one OS thread applies the outgoing operations of all cores in a fixed order (core, then order of
//!    issue). If there was none and threads are left, the program is deadlocked, and is told so at once.
//!
//! Transfers land as late as the kernel's barriers allow: a read when `noc_async_read_barrier` is called, a write when its
//! barrier or an ordered signal needs it. A kernel that forgets a barrier therefore sees stale data, or an error that names the
//! missing call, and never works by luck.
//!
//! | file | what lives there |
//! |---|---|
//! | `launch` | what to run: plain data, checked before a run |
//! | `machine` | memories and the run |
//! | `sched` | epochs, OS threads, boundary |
//! | `thread` | coroutines and the running thread (unsafe code) |
//! | `trap` | kernels that fault or never call anything (unsafe code) |
//! | `memory` | bytes of L1 and DRAM (unsafe code) |
//! | `core` | the state of one core and what its threads wait for |
//! | `cb`, `noc`, `registers` | circular buffers, transfers, tile registers and their protocol |
//! | `shared` | circular buffers in one memory |
//! | `ops` | the calls of a running kernel, and their checks |
//! | `error`, `deadlock` | diagnostics |
//! | `debug` | prints and zones of kernels |
//! | `air` | multicasts that reach each core in its own time |
//! | `pipes` | both ends of a pipe use the same pages |
//! | `reads` | a log of reads from DRAM |
//! | `timeline` | a record of what every thread did and waited for |

mod air;
mod barrier;
mod boundary;
mod cb;
mod compare;
mod core;
mod deadlock;
pub mod debug;
mod dice;
pub mod error;
pub mod launch;
pub mod machine;
pub mod math;
mod memory;
mod noc;
pub mod ops;
mod pipes;
mod reads;
mod registers;
mod sched;
mod shared;
mod thread;
pub mod timeline;
mod trap;

pub use compare::{MemoryDifference, Place};
pub use debug::{PrintLog, Printed, Prints, ZoneReport};
pub use error::{ErrorKind, SimError};
pub use launch::{
    CbEnds, CbLaunch, Launch, Processor, Progress, RunOptions, RunReport, Schedule, SemLaunch, TensorLaunch,
    ThreadLaunch,
};
pub use machine::Machine;
pub use math::Numerics;
pub use noc::NocAddr;
pub use pipes::PipeLaunch;
pub use reads::{DramRead, ReadLog};
pub use timeline::Timeline;
