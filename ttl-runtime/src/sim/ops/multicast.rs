//! Transfers to a rectangle of cores: the same data to the same L1 address on each of them.

use super::{NocAddr, Step, Stop, op};
use crate::arch::{ArchKind, Core};
use crate::sim::error::{ErrorKind, SimError, count};
use crate::sim::noc::{Endpoint, Outgoing, Rectangle, Remote, Source, What};
use crate::sim::thread::Cx;
use crate::site::Site;

/// NoC coordinates.
type Corner = (u32, u32);

/// Who gets what is sent to a rectangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receivers {
    /// As the kernel counts them.
    pub num_dests: u32,
    /// The sender is one of them.
    pub loopback: bool,
}

impl Cx<'_> {
    /// The rectangle of a multicast address, checked.
    pub(super) fn rectangle(
        &self,
        call: &str,
        noc: usize,
        addr: NocAddr,
        size: u32,
        to: Receivers,
        site: Site,
    ) -> Step<(Rectangle, u32)> {
        let fail = |message: String| self.error(ErrorKind::Noc, message, site);
        let Some((start, end)) = addr.corners() else {
            let error = fail(format!("`{call}`: the address is not one of a rectangle of cores"));
            return Err(Stop::Fail(error.help("make it with `get_noc_multicast_addr`")));
        };
        let (first, last) = self.in_order(noc, start, end, site).map_err(Stop::Fail)?;
        let corner = |(x, y): Corner| match self.shared.endpoints.find(NocAddr::new(x, y, 0)) {
            Endpoint::Worker(core) => Ok(self.shared.core_at(u32::from(core))),
            _ => {
                let error = fail(format!("`{call}`: there is no worker core at NoC coordinates ({x},{y})"));
                Err(Stop::Fail(error.help("kernels need virtual coordinates: pass them as arguments")))
            }
        };
        let sender = self.core.index;
        let except = (!to.loopback).then_some(sender);
        let cores = Rectangle { first: corner(first)?, last: corner(last)?, except };
        let mut receivers = 0;
        for core in cores.indices(self.shared.arch.grid_x) {
            receivers += 1;
            let there = self.shared.core_at(core);
            if !self.shared.takes_part[core as usize] {
                let error = fail(format!("`{call}`: {there} is in the rectangle and runs no kernel of this program"));
                return Err(Stop::Fail(error.help("send to cores of the program only: others may be in use")));
            }
            let fits = u32::try_from(addr.local()).is_ok_and(|a| self.shared.may_touch(core, a, size));
            if !fits {
                return Err(self.bad_l1(call, &format!("of {there}"), addr.local(), size, site));
            }
        }
        self.counted(call, cores, receivers, to, site).map_err(Stop::Fail)?;
        Ok((cores, addr.local() as u32))
    }

    /// NoC 0 goes to the right and down, NoC 1 to the left and up; a rectangle given in the other order reaches around the chip.
    fn in_order(&self, noc: usize, start: Corner, end: Corner, site: Site) -> Result<(Corner, Corner), SimError> {
        let (first, last) = if noc == 0 { (start, end) } else { (end, start) };
        if first.0 <= last.0 && first.1 <= last.1 {
            return Ok((first, last));
        }
        let message = format!(
            "a multicast on NoC {noc} from ({},{}) to ({},{}) has its corners in the wrong order",
            start.0, start.1, end.0, end.1
        );
        let error = self.error(ErrorKind::Noc, message, site);
        Err(error.help("NoC 0 starts at the top left, NoC 1 at the bottom right: the host swaps the corners for NoC 1"))
    }

    fn counted(&self, call: &str, cores: Rectangle, receivers: u32, to: Receivers, site: Site) -> Result<(), SimError> {
        let fail = |message: String| self.error(ErrorKind::Noc, message, site);
        let Receivers { num_dests, loopback } = to;
        let range = format!("{} to {}", cores.first, cores.last);
        if receivers == 0 || (loopback && receivers == 1) {
            let error = fail(format!("`{call}`: no other core is in the rectangle from {range}"));
            return Err(error.help("a multicast needs another core to go to; the chip may hang"));
        }
        if num_dests == receivers {
            return Ok(());
        }
        let others = if loopback { "with the sender" } else { "without the sender" };
        let found = count(receivers, "core");
        let error =
            fail(format!("`{call}`: {num_dests} destinations are announced, the rectangle has {found} {others}"));
        let numbers = format!("the rectangle is {range}, the sender {}", self.core.core);
        Err(error.numbers(numbers).help(format!("num_dests must be {receivers}, or the barrier waits for ever")))
    }

    /// On Blackhole data must have left before the flag that tells about it is sent.
    fn data_has_left(&self, noc: usize, site: Site) -> Step<()> {
        if self.shared.arch.kind != ArchKind::Blackhole || self.core.threads[self.me].uncaptured[noc] == 0 {
            return Ok(());
        }
        let data = |op: &&Outgoing| {
            usize::from(op.thread) == self.me
                && usize::from(op.noc) == noc
                && matches!(op.dest, Remote::Many { .. })
                && matches!(op.what, What::Write { source: Source::L1(_), size } if size > 4)
        };
        let Some(op) = self.core.queue.list.iter().find(data) else {
            return Ok(());
        };
        let message = "a flag is multicast while the data before it has not left the core";
        let error = self.error(ErrorKind::Noc, message, site).label(op.site, "the data");
        Err(Stop::Fail(error.help("on Blackhole, call `noc_async_writes_flushed` between the two multicasts")))
    }
}

/// The same L1 address on a rectangle of worker cores. Whether there is one is checked by the transfer.
pub fn noc_addr_multicast(start: Core, end: Core, addr: u32, site: Site) -> NocAddr {
    op(site, |cx| {
        cx.data_movement("get_noc_multicast_addr", site)?;
        Ok(NocAddr::multicast((start.x, start.y), (end.x, end.y), u64::from(addr)))
    })
}

/// Starts a write from this core's L1 to a rectangle of cores.
pub fn noc_async_write_multicast(noc: u8, src_l1: u32, dst: NocAddr, size: u32, to: Receivers, site: Site) {
    let call = if to.loopback { "noc_async_write_multicast_loopback_src" } else { "noc_async_write_multicast" };
    op(site, |cx| {
        cx.data_movement(call, site)?;
        let noc = cx.noc(call, noc, site)?;
        if size == 0 {
            return Err(cx.zero_bytes(call, site));
        }
        cx.local(call, src_l1, size, site)?;
        let (cores, addr) = cx.rectangle(call, noc, dst, size, to, site)?;
        let dest = Remote::Many { cores, addr };
        cx.aligned(call, dest, src_l1, false, site)?;
        cx.uses_waited(call, src_l1, size, site)?;
        cx.room(size)?;
        let due = cx.by_chance(4);
        cx.enqueue_write(noc, src_l1, dest, size, due, site);
        cx.thread().write_state[noc].overwritten = Some(site);
        Ok(())
    });
}

/// Copies the word at `src_l1` to a word of each core of a rectangle, behind the data that was sent there before. The source must not
/// change before a flush.
pub fn noc_semaphore_set_multicast(noc: u8, src_l1: u32, dst: NocAddr, to: Receivers, site: Site) {
    let call = if to.loopback { "noc_semaphore_set_multicast_loopback_src" } else { "noc_semaphore_set_multicast" };
    op(site, |cx| {
        cx.data_movement(call, site)?;
        let noc = cx.noc(call, noc, site)?;
        cx.word(call, src_l1, site)?;
        let (cores, addr) = cx.rectangle(call, noc, dst, 4, to, site)?;
        if !addr.is_multiple_of(4) {
            let message = format!("`{call}`: L1 address {addr:#x} of a word is not a multiple of 4");
            return Err(Stop::Fail(
                cx.error(ErrorKind::Semaphore, message, site).help("a semaphore is a word of 4 bytes: use its address"),
            ));
        }
        let dest = Remote::Many { cores, addr };
        cx.aligned(call, dest, src_l1, false, site)?;
        cx.data_has_left(noc, site)?;
        cx.enqueue_signal(noc, dest, Err(src_l1), site)
    });
}
