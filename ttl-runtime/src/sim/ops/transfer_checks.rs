//! What transfers are checked for: both ends exist and may be touched, are aligned to each other, and are in pages that the thread has.

use super::{NocAddr, Step, Stop};
use crate::sim::error::{ErrorKind, count};
use crate::sim::noc::{Endpoint, Remote};
use crate::sim::thread::Cx;
use crate::site::Site;

impl Cx<'_> {
    #[inline]
    pub(super) fn noc(&self, call: &str, noc: u8, site: Site) -> Step<usize> {
        if noc > 1 {
            let message = format!("`{call}`: NoC {noc} does not exist; the chip has NoC 0 and 1");
            return Err(Stop::Fail(
                self.error(ErrorKind::Noc, message, site).help("use `noc_index`, the NoC of this kernel"),
            ));
        }
        Ok(usize::from(noc))
    }

    /// A range of this core's L1 that kernels may touch: above the base, or a circular buffer or semaphore below it.
    #[inline]
    pub(super) fn local(&self, call: &str, addr: u32, size: u32, site: Site) -> Step<()> {
        if self.shared.may_touch(self.core.index, addr, size) {
            return Ok(());
        }
        Err(self.bad_l1(call, "of this core", u64::from(addr), size, site))
    }

    #[cold]
    pub(super) fn bad_l1(&self, call: &str, whose: &str, addr: u64, size: u32, site: Site) -> Stop {
        let arch = &self.shared.arch;
        let message = format!("`{call}`: L1 {whose} at {addr:#x}, {size} bytes, is outside of what programs may use");
        let numbers =
            format!("programs may use {:#x} to {:#x}, circular buffers and semaphores", arch.l1_base, arch.l1_size);
        let error = self.error(ErrorKind::Memory, message, site).numbers(numbers);
        Stop::Fail(error.help("use addresses of circular buffers and semaphores, and stay within their bytes"))
    }

    /// The far end of a transfer of `size` bytes.
    #[inline]
    pub(super) fn remote(&self, call: &str, addr: NocAddr, size: u32, site: Site) -> Step<Remote> {
        let local = addr.local();
        match self.shared.endpoints.find(addr) {
            Endpoint::Dram(bank) => {
                if !self.dram.contains(u32::from(bank), local, u64::from(size)) {
                    let bank_size = self.shared.arch.dram_bank_size;
                    let message = format!("`{call}`: DRAM bank {bank} has no {size} bytes at {local:#x}");
                    let error = self.error(ErrorKind::Noc, message, site);
                    let error = error.numbers(format!("the bank has {bank_size:#x} bytes"));
                    return Err(Stop::Fail(
                        error.help("addresses of a bank begin at 0; accessors know those of tensors"),
                    ));
                }
                Ok(Remote::Dram { bank: u32::from(bank), addr: local })
            }
            Endpoint::Worker(core) => {
                let core = u32::from(core);
                let fits = u32::try_from(local).is_ok_and(|a| self.shared.may_touch(core, a, size));
                if !fits {
                    return Err(self.bad_l1(call, &format!("of {}", self.shared.core_at(core)), local, size, site));
                }
                Ok(Remote::L1 { core, addr: local as u32 })
            }
            Endpoint::Nobody if addr.corners().is_some() => {
                let message = format!("`{call}`: the address is one of a rectangle of cores");
                let error = self.error(ErrorKind::Noc, message, site);
                Err(Stop::Fail(error.help("use the multicast form of the call, or the address of one core")))
            }
            Endpoint::Nobody => {
                let (x, y) = (addr.x(), addr.y());
                let message = format!("`{call}`: there is no core or DRAM bank at NoC coordinates ({x},{y})");
                let error = self.error(ErrorKind::Noc, message, site);
                Err(Stop::Fail(
                    error.help("kernels need virtual coordinates: pass them as arguments, not logical ones"),
                ))
            }
        }
    }

    /// Both ends must be congruent modulo the alignment of this kind of transfer.
    #[inline]
    pub(super) fn aligned(&self, call: &str, remote: Remote, local: u32, read: bool, site: Site) -> Step<()> {
        let arch = &self.shared.arch;
        let (alignment, addr) = match remote {
            Remote::Dram { addr, .. } if read => (arch.noc_dram_read_alignment, addr),
            Remote::Dram { addr, .. } => (arch.noc_dram_write_alignment, addr),
            Remote::L1 { addr, .. } | Remote::Many { addr, .. } => (arch.noc_l1_alignment, u64::from(addr)),
        };
        if (addr ^ u64::from(local)) & u64::from(alignment - 1) == 0 {
            return Ok(());
        }
        Err(self.misaligned(call, remote, local, alignment, read, site))
    }

    #[cold]
    fn misaligned(&self, call: &str, remote: Remote, local: u32, alignment: u32, read: bool, site: Site) -> Stop {
        let there = match remote {
            Remote::Dram { bank, addr } => format!("DRAM bank {bank} at {addr:#x}"),
            Remote::L1 { core, addr } => {
                format!("L1 of {} at {addr:#x}", self.shared.core_at(core))
            }
            Remote::Many { addr, .. } => format!("L1 of several cores at {addr:#x}"),
        };
        let here = format!("L1 at {local:#x}");
        let (from, to) = if read { (there, here) } else { (here, there) };
        let message = format!("`{call}`: source and destination are not aligned to each other modulo {alignment}");
        let numbers = format!("from {from} to {to}");
        let help = format!("the two addresses must leave the same remainder modulo {alignment}");
        Stop::Fail(self.error(ErrorKind::Noc, message, site).numbers(numbers).help(help))
    }

    /// A transfer that fills L1 must not touch pages of a circular buffer that this thread has not reserved.
    #[inline]
    pub(super) fn fills_reserved(&self, call: &str, addr: u32, size: u32, site: Site) -> Step<()> {
        let (mut outside, mut filled) = (None, None);
        for (i, c) in self.core.cbs.list.iter().enumerate() {
            if !c.overlaps(addr, size) {
                continue;
            }
            let mine = c.producer.is_some_and(|(t, _)| t == self.me);
            if mine && c.encloses(addr, size) && c.within(c.write_page, c.reserved, addr, size) {
                // Which of two reserved buffers in one memory is filled cannot be told from an address.
                match filled.replace(i) {
                    None if c.shares => continue,
                    None => return Ok(()),
                    Some(first) => return self.destroys_no_pushed(first, addr, size, site),
                }
            }
            // Where buffers share memory the one that counts is the thread's own.
            if mine || !c.encloses(addr, size) {
                outside.get_or_insert(i);
            }
        }
        match (filled, outside) {
            (Some(cb), _) => self.destroys_nothing(cb, addr, size, site),
            (None, None) => Ok(()),
            (None, Some(cb)) => Err(self.outside_window(call, cb, "fills", "reserved", addr, size, site)),
        }
    }

    /// A transfer that reads L1 must not use pages that this thread as the consumer has not waited for. The producer may use any: it
    /// knows what it has put where.
    #[inline]
    pub(super) fn uses_waited(&self, call: &str, addr: u32, size: u32, site: Site) -> Step<()> {
        let mut outside = None;
        for (i, c) in self.core.cbs.list.iter().enumerate() {
            if !c.overlaps(addr, size) {
                continue;
            }
            let consumes = c.consumer.is_some_and(|(t, _)| t == self.me);
            let produces = c.producer.is_some_and(|(t, _)| t == self.me);
            let waited = c.within(c.read_page, c.waited, addr, size);
            if c.encloses(addr, size) && (waited || produces) {
                return Ok(());
            }
            if consumes || !c.encloses(addr, size) {
                outside.get_or_insert(i);
            }
        }
        match outside {
            None => Ok(()),
            Some(cb) => Err(self.outside_window(call, cb, "reads", "waited for", addr, size, site)),
        }
    }

    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn outside_window(
        &self,
        call: &str,
        cb: usize,
        does: &str,
        window: &str,
        addr: u32,
        size: u32,
        site: Site,
    ) -> Stop {
        let c = &self.core.cbs.list[cb];
        let (start, pages) = if does == "fills" { (c.write_ptr(), c.reserved) } else { (c.read_ptr(), c.waited) };
        let message = format!("`{call}` {does} L1 outside of the {window} pages of {}", c.title());
        let numbers = format!(
            "L1 {addr:#x} to {:#x}; {window}: {} from {start:#x} to {:#x}",
            addr + size,
            count(pages, "page"),
            start + pages * c.page_size
        );
        let error = self.error(ErrorKind::CircularBuffer, message, site).numbers(numbers);
        Stop::Fail(error.help("stay within these pages: reserve or wait for more, or push and pop them later"))
    }

    #[cold]
    pub(super) fn zero_bytes(&self, call: &str, site: Site) -> Stop {
        let error = self.error(ErrorKind::Noc, format!("`{call}` of 0 bytes"), site);
        Stop::Fail(error.help("leave the call out where there is nothing to move"))
    }
}
