//! Semaphores: words in L1 that this core's threads wait on and other cores change.

use super::{NocAddr, Stop, op};
use crate::arch::ArchKind;
use crate::sim::core::Wait;
use crate::sim::error::ErrorKind;
use crate::sim::noc::{Outgoing, Remote, Source, What};
use crate::sim::pipes;
use crate::sim::thread::Cx;
use crate::site::Site;

impl Cx<'_> {
    /// A word of another core's (or this core's) L1.
    fn remote_word(&self, call: &str, addr: NocAddr, site: Site) -> super::Step<Remote> {
        let remote = self.remote(call, addr, 4, site)?;
        match remote {
            Remote::L1 { addr, .. } if addr.is_multiple_of(4) => Ok(remote),
            Remote::L1 { addr, .. } => {
                let message = format!("`{call}`: L1 address {addr:#x} of a word is not a multiple of 4");
                Err(Stop::Fail(
                    self.error(ErrorKind::Semaphore, message, site)
                        .help("a semaphore is a word of 4 bytes: use its address"),
                ))
            }
            Remote::Many { .. } => Ok(remote),
            Remote::Dram { bank, .. } => {
                let message = format!("`{call}` on DRAM bank {bank}; semaphores are in the L1 of cores");
                Err(Stop::Fail(
                    self.error(ErrorKind::Semaphore, message, site).help("use the address of a semaphore on a core"),
                ))
            }
        }
    }

    /// No write that still reads this word may be under way.
    fn word_has_left(&self, addr: u32, site: Site) -> super::Step<()> {
        if self.core.queue.uncaptured == 0 {
            return Ok(());
        }
        let reads = |op: &&Outgoing| matches!(op.what, What::Write { source: Source::L1(from), size } if from < addr + 4 && addr < from + size);
        let Some(op) = self.core.queue.list.iter().find(reads) else {
            return Ok(());
        };
        let message = "a semaphore is set while its old value is still being sent";
        let who = self.core.thread_title(usize::from(op.thread));
        let error = self.error(ErrorKind::Semaphore, message, site).label(op.site, format!("sent by {who}"));
        Err(Stop::Fail(error.help("call `noc_async_writes_flushed` in between, or the new value may be sent instead")))
    }
}

/// L1 address of a semaphore; the same on all cores that have it.
pub fn get_semaphore(id: u32, site: Site) -> u32 {
    op(site, |cx| {
        cx.data_movement("get_semaphore", site)?;
        let found = cx.core.semaphores.iter().find(|s| s.0 == id);
        found.map(|s| s.1).ok_or_else(|| {
            let message = format!("there is no semaphore with id {id} on {}", cx.core.core);
            Stop::Fail(
                cx.error(ErrorKind::Semaphore, message, site).help("declare the semaphore on all cores that use it"),
            )
        })
    })
}

/// Stores a value on this core.
pub fn noc_semaphore_set(addr: u32, value: u32, site: Site) {
    op(site, |cx| {
        cx.data_movement("noc_semaphore_set", site)?;
        cx.word("noc_semaphore_set", addr, site)?;
        cx.word_has_left(addr, site)?;
        cx.core.l1.set_word(addr, value);
        cx.core.progress += 1;
        Ok(())
    });
}

/// Waits until the word equals `value`.
pub fn noc_semaphore_wait(addr: u32, value: u32, site: Site) {
    op(site, |cx| {
        cx.data_movement("noc_semaphore_wait", site)?;
        cx.word("noc_semaphore_wait", addr, site)?;
        if cx.core.l1.word(addr) != value {
            return Err(Stop::Wait(Wait::SemaphoreEqual { addr, value }));
        }
        if let Some(pipe) = pipes::sending(&cx.shared.pipes, cx.core.core, addr) {
            cx.thread().sends_through = Some(pipe);
        }
        Ok(())
    });
}

/// Waits until the word is at least `value`.
pub fn noc_semaphore_wait_min(addr: u32, value: u32, site: Site) {
    op(site, |cx| {
        cx.data_movement("noc_semaphore_wait_min", site)?;
        cx.word("noc_semaphore_wait_min", addr, site)?;
        if cx.core.l1.word(addr) >= value { Ok(()) } else { Err(Stop::Wait(Wait::SemaphoreMin { addr, value })) }
    });
}

/// Adds to a word of another core. Nothing that this thread sent there on the same NoC before is overtaken.
pub fn noc_semaphore_inc(noc: u8, addr: NocAddr, incr: u32, site: Site) {
    increment(noc, addr, incr, false, site);
}

/// As [`noc_semaphore_inc`], without an answer: no barrier waits for it (on Wormhole).
pub fn noc_semaphore_inc_posted(noc: u8, addr: NocAddr, incr: u32, site: Site) {
    increment(noc, addr, incr, true, site);
}

fn increment(noc: u8, addr: NocAddr, incr: u32, posted: bool, site: Site) {
    const CALL: &str = "noc_semaphore_inc";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let noc = cx.noc(CALL, noc, site)?;
        let dest = cx.remote_word(CALL, addr, site)?;
        if let Remote::L1 { core, addr } = dest {
            pipes::announce(&cx.shared.pipes, cx.core, cx.shared.core_at(core), addr, site);
        }
        // TT-Metalium makes none of them posted on Blackhole, where they could hang.
        let posted = posted && cx.shared.arch.kind == ArchKind::Wormhole;
        cx.enqueue_posted_signal(noc, dest, Ok(incr), posted, site)
    });
}

/// Copies the word at `src_l1` to a word of another core. The source must not change before a flush.
pub fn noc_semaphore_set_remote(noc: u8, src_l1: u32, dst: NocAddr, site: Site) {
    const CALL: &str = "noc_semaphore_set_remote";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let noc = cx.noc(CALL, noc, site)?;
        cx.word(CALL, src_l1, site)?;
        let dest = cx.remote_word(CALL, dst, site)?;
        cx.aligned(CALL, dest, src_l1, false, site)?;
        cx.enqueue_signal(noc, dest, Err(src_l1), site)
    });
}
