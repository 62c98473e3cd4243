//! Both ends of a pipe: a block arrives at the L1 address that it has on the sender, so each receiver must have reserved just these pages.
//!
//! The calls of a pipe are ordinary ones in native kernels and in C++ alike. What tells them is the semaphores: a receiver that counts up `ready` on its
//! sender announces the pages that it has reserved, and what a sender sends next when it has waited for `ready` is the block.

use std::sync::Arc;

use super::core::CoreState;
use super::error::{ErrorKind, SimError, count};
use super::noc::Outgoing;
use crate::arch::Core;
use crate::site::Site;

/// A pipe of a program.
#[derive(Clone, Debug)]
pub struct PipeLaunch {
    /// For messages.
    pub name: Arc<str>,
    pub senders: Vec<Core>,
    /// L1 address of the semaphore that receivers count up on their sender.
    pub ready: u32,
    /// Id of the circular buffer whose blocks travel.
    pub cb: u32,
}

/// Pages that a receiver has ready for a block of a pipe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Announced {
    pipe: u8,
    addr: u32,
    size: u32,
    site: Site,
}

/// The pipe that a core sends through, by the semaphore on which it waits.
pub(super) fn sending(pipes: &[PipeLaunch], core: Core, ready: u32) -> Option<u8> {
    let of = |p: &PipeLaunch| p.ready == ready && p.senders.contains(&core);
    pipes.iter().position(of).and_then(|at| u8::try_from(at).ok())
}

/// `core` counts up the word at `ready` of `sender`: what it has reserved is where the next block must arrive.
pub(super) fn announce(pipes: &[PipeLaunch], core: &mut CoreState, sender: Core, ready: u32, site: Site) {
    let Some(pipe) = sending(pipes, sender, ready) else { return };
    let Some(cb) = core.cbs.find(pipes[usize::from(pipe)].cb) else { return };
    let c = &core.cbs.list[cb];
    let announced = Announced { pipe, addr: c.write_ptr(), size: c.reserved * c.page_size, site };
    core.announced.retain(|a| a.pipe != pipe);
    core.announced.push(announced);
}

/// A block that arrives at a core is where the core has announced room for it.
pub(super) fn arrives(
    pipes: &[PipeLaunch],
    from: &CoreState,
    op: &Outgoing,
    there: &CoreState,
    addr: u32,
    size: u32,
) -> Result<(), SimError> {
    let Some(pipe) = op.pipe else { return Ok(()) };
    match there.announced.iter().find(|a| a.pipe == pipe) {
        Some(a) if (a.addr, a.size) != (addr, size) => {
            Err(elsewhere(&pipes[usize::from(pipe)], from, op, there, *a, addr, size))
        }
        _ => Ok(()),
    }
}

#[cold]
fn elsewhere(
    pipe: &PipeLaunch,
    from: &CoreState,
    op: &Outgoing,
    there: &CoreState,
    announced: Announced,
    addr: u32,
    size: u32,
) -> SimError {
    let pages = |addr: u32, size: u32| match there.cbs.find(pipe.cb).map(|cb| &there.cbs.list[cb]) {
        Some(c) if c.encloses(addr, size) => {
            let first = (addr - c.addr) / c.page_size;
            format!("{} from page {first} of {} on, L1 {addr:#x}", count(size / c.page_size, "page"), c.title())
        }
        _ => format!("{size} bytes at L1 {addr:#x}"),
    };
    let message =
        format!("a block of pipe `{}` does not arrive where {} has reserved room for it", pipe.name, there.core);
    from.error(usize::from(op.thread), ErrorKind::CircularBuffer, message, op.site)
        .label(announced.site, format!("{} receives here", there.core))
        .numbers(format!("sent to {}; reserved there: {}", pages(addr, size), pages(announced.addr, announced.size)))
        .help(
            "a block arrives at the L1 address that it has on the sender: all cores of a pipe use the buffer in step, with blocks of one size, \
             and push every one",
        )
}
