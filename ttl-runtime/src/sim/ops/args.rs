//! Arguments, and who and where the running thread is.

use std::sync::Arc;

use super::{Step, op};
use crate::arch::{Arch, Core};
use crate::sim::error::ErrorKind;
use crate::sim::launch::Processor;
use crate::sim::thread::{self, Cx};
use crate::site::Site;

/// `get_arg_val(i)`: an argument of this core.
pub fn runtime_arg(i: u32, site: Site) -> u32 {
    op(site, |cx| {
        let args = &cx.core.threads[cx.me].runtime_args;
        args.get(i as usize).copied().map_or_else(|| out_of_range(cx, "runtime", i, args.len(), site), Ok)
    })
}

/// `get_common_arg_val(i)`: an argument that all cores of the kernel share.
pub fn common_arg(i: u32, site: Site) -> u32 {
    op(site, |cx| {
        let args = &cx.core.threads[cx.me].common_args;
        args.get(i as usize).copied().map_or_else(|| out_of_range(cx, "common runtime", i, args.len(), site), Ok)
    })
}

/// `get_compile_time_arg_val(i)`.
pub fn compile_arg(i: u32, site: Site) -> u32 {
    op(site, |cx| {
        let args = &cx.core.threads[cx.me].compile_args;
        args.get(i as usize).copied().map_or_else(|| out_of_range(cx, "compile-time", i, args.len(), site), Ok)
    })
}

#[cold]
fn out_of_range(cx: &Cx<'_>, which: &str, i: u32, len: usize, site: Site) -> Step<u32> {
    let message = format!("{which} argument {i} does not exist; the kernel got {len}");
    let error = cx.error(ErrorKind::Arguments, message, site);
    Err(super::Stop::Fail(error.help("arguments count from 0; give the kernel as many as it reads")))
}

/// All compile-time arguments.
pub fn compile_args(site: Site) -> Arc<[u32]> {
    op(site, |cx| Ok(cx.thread().compile_args.clone()))
}

/// The values of the chip.
pub fn arch(site: Site) -> Arch {
    op(site, |cx| Ok(cx.shared.arch))
}

/// The logical coordinates of this core.
pub fn core(site: Site) -> Core {
    op(site, |cx| Ok(cx.core.core))
}

/// `noc_index`: the NoC of this thread.
pub fn noc_index(site: Site) -> u8 {
    op(site, |cx| Ok(cx.thread().noc))
}

pub fn processor(site: Site) -> Processor {
    op(site, |cx| Ok(cx.thread().processor))
}

/// Whether the caller runs as a kernel thread of the simulator.
pub fn in_kernel() -> bool {
    thread::in_kernel()
}
