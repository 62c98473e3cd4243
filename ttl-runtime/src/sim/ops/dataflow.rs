//! NoC transfers and their barriers.
//!
//! A read is noted when it is issued and copied when its barrier is called; a write is noted when it is issued, copied out of L1 when
//! it is flushed, and arrives at a boundary between epochs. See the module docs of `sim`.

use super::{NocAddr, Step, Stop, op};
use crate::sim::core::Wait;
use crate::sim::error::{ErrorKind, count};
use crate::sim::noc::{self, Endpoint, Outgoing, PendingRead, Remote, Source, What};
use crate::sim::reads::DramRead;
use crate::sim::thread::Cx;
use crate::site::Site;

/// Entries of one core's queue of outgoing operations before the next one waits, whatever their size.
const QUEUE_ENTRIES: usize = 4096;

/// The tensor at `base` has page `page`.
#[inline]
pub fn check_page(dram: bool, base: u32, page: u32, site: Site) {
    op(site, |cx| {
        let found = cx.shared.tensors.iter().find(|t| t.base == base && t.dram == dram);
        match found {
            Some(tensor) if u64::from(page) >= tensor.pages => {
                let message = format!("page {page} of tensor `{}`, which has {}", tensor.name, tensor.pages);
                let error = cx.error(ErrorKind::Noc, message, site);
                Err(Stop::Fail(
                    error.help("pages count from 0; check the first page and the number of pages of this core"),
                ))
            }
            _ => Ok(()),
        }
    });
}

impl Cx<'_> {
    #[inline]
    pub(super) fn noc(&self, call: &str, noc: u8, site: Site) -> Step<usize> {
        if noc > 1 {
            return Err(self.fail(
                ErrorKind::Noc,
                format!("`{call}`: NoC {noc} does not exist; the chip has NoC 0 and 1"),
                site,
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
        Stop::Fail(self.error(ErrorKind::Memory, message, site).numbers(numbers))
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
                    return Err(Stop::Fail(
                        self.error(ErrorKind::Noc, message, site).numbers(format!("the bank has {bank_size:#x} bytes")),
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
        Stop::Fail(self.error(ErrorKind::CircularBuffer, message, site).numbers(numbers))
    }

    /// Room for another write, or a wait for the boundary that makes it.
    #[inline]
    pub(super) fn room(&mut self, size: u32) -> Step<()> {
        let queue = &mut self.core.queue;
        let full =
            queue.bytes + size as usize > self.shared.options.write_queue_bytes || queue.list.len() >= QUEUE_ENTRIES;
        if full && !queue.list.is_empty() {
            queue.mark_due(|_| true);
            return Err(Stop::Wait(Wait::QueueRoom { epoch: self.core.epoch }));
        }
        Ok(())
    }

    pub(super) fn enqueue_write(&mut self, noc: usize, from: u32, dest: Remote, size: u32, due: bool, site: Site) {
        let trid = self.core.threads[self.me].write_state[noc].trid;
        self.enqueue_tagged(noc, from, dest, size, due, Tag { trid, posted: false }, site);
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn enqueue_tagged(
        &mut self,
        noc: usize,
        from: u32,
        dest: Remote,
        size: u32,
        due: bool,
        Tag { trid, posted }: Tag,
        site: Site,
    ) {
        let thread = &mut self.core.threads[self.me];
        let pipe = thread.sends_through.take();
        if posted {
            thread.unsent_posted[noc] += 1;
        } else {
            thread.uncaptured[noc] += 1;
            thread.unacked[noc] += 1;
            thread.unacked_ids[noc][usize::from(trid)] += 1;
        }
        let queue = &mut self.core.queue;
        queue.uncaptured += 1;
        queue.bytes += size as usize;
        queue.due += usize::from(due);
        let what = What::Write { source: Source::L1(from), size };
        let thread = self.me as u8;
        queue.list.push(Outgoing { thread, noc: noc as u8, trid, posted, due, dest, what, pipe, from, site });
        self.core.counters.noc_writes += 1;
        self.core.counters.noc_write_bytes += u64::from(size);
    }

    /// An atomic or a flag write: it is due at once, and so is what the same thread sent the same way before, which it must not
    /// overtake.
    pub(super) fn enqueue_signal(&mut self, noc: usize, dest: Remote, what: Result<u32, u32>, site: Site) -> Step<()> {
        self.enqueue_posted_signal(noc, dest, what, false, site)
    }

    pub(super) fn enqueue_posted_signal(
        &mut self,
        noc: usize,
        dest: Remote,
        what: Result<u32, u32>,
        posted: bool,
        site: Site,
    ) -> Step<()> {
        self.room(4)?;
        let (me, noc_id) = (self.me as u8, noc as u8);
        self.core.queue.mark_due(|op: &Outgoing| {
            let same_way = match (op.dest, dest) {
                (Remote::L1 { core: before, .. }, Remote::L1 { core, .. }) => before == core,
                (Remote::Dram { .. }, _) | (_, Remote::Dram { .. }) => false,
                // Rectangles that have no core in common are rare.
                _ => true,
            };
            op.thread == me && op.noc == noc_id && same_way
        });
        match what {
            Ok(by) => {
                self.core.threads[self.me].atomics[noc] += u32::from(!posted);
                let what = What::Increment { by };
                self.core.queue.due += 1;
                self.core.queue.list.push(Outgoing {
                    thread: self.me as u8,
                    noc: noc as u8,
                    trid: 0,
                    posted,
                    due: true,
                    dest,
                    what,
                    pipe: None,
                    from: 0,
                    site,
                });
                self.core.counters.noc_atomics += 1;
            }
            // Flags have a command buffer of their own, without an id.
            Err(from) => self.enqueue_tagged(noc, from, dest, 4, true, Tag { trid: 0, posted }, site),
        }
        Ok(())
    }

    /// Copies the data of writes of this thread out of L1: of the posted ones or of the others, of all ids or of one.
    pub(super) fn capture(&mut self, noc: usize, posted: bool, trid: Option<u8>) {
        let thread = &mut self.core.threads[self.me];
        let left = if posted { &mut thread.unsent_posted[noc] } else { &mut thread.uncaptured[noc] };
        let queue = &mut self.core.queue;
        for op in queue.list.iter_mut().rev() {
            if *left == 0 {
                break;
            }
            let other = op.posted != posted || trid.is_some_and(|id| op.trid != id);
            if usize::from(op.thread) != self.me || usize::from(op.noc) != noc || other {
                continue;
            }
            if let What::Write { source: source @ Source::L1(_), size } = &mut op.what {
                let bytes = self.core.l1.bytes(op.from, *size as usize);
                *source = Source::Captured(queue.arena.store(bytes));
                queue.uncaptured -= 1;
                *left -= 1;
            }
        }
    }

    /// Lets a read land if its data is within reach during an epoch.
    #[inline]
    pub(super) fn land(&mut self, read: &PendingRead) -> bool {
        match read.source {
            Remote::Dram { bank, addr } => {
                self.dram.read(bank, addr, self.core.l1.bytes_mut(read.dest, read.size as usize));
                true
            }
            Remote::L1 { core, addr } if core == self.core.index => {
                let source = self.core.l1.duplicate();
                self.core.l1.copy_from(read.dest, &source, addr, read.size as usize);
                true
            }
            Remote::L1 { .. } | Remote::Many { .. } => false,
        }
    }

    #[cold]
    pub(super) fn zero_bytes(&self, call: &str, site: Site) -> Stop {
        self.fail(ErrorKind::Noc, format!("`{call}` of 0 bytes"), site)
    }
}

/// L1 of a worker core by its virtual coordinates. Whether there is one is checked by the transfer.
pub fn noc_addr_worker(x: u32, y: u32, addr: u32, site: Site) -> NocAddr {
    op(site, |cx| {
        cx.data_movement("get_noc_addr", site)?;
        Ok(NocAddr::new(x, y, u64::from(addr)))
    })
}

/// An address in a DRAM bank.
pub fn noc_addr_dram(bank: u32, addr: u64, site: Site) -> NocAddr {
    op(site, |cx| {
        cx.data_movement("get_noc_addr", site)?;
        let arch = &cx.shared.arch;
        if bank >= arch.dram_banks {
            let message = format!("DRAM bank {bank} does not exist; the chip has {}", arch.dram_banks);
            return Err(cx.fail(ErrorKind::Noc, message, site));
        }
        let at = noc::dram_coordinates(arch, bank);
        Ok(NocAddr::new(at.x, at.y, addr))
    })
}

/// Starts a read into this core's L1.
pub fn noc_async_read(noc: u8, src: NocAddr, dst_l1: u32, size: u32, site: Site) {
    const CALL: &str = "noc_async_read";
    op(site, |cx| {
        cx.begin_read(CALL, noc, src, dst_l1, size, site)?;
        cx.thread().read_state[usize::from(noc)].overwritten = Some(site);
        Ok(())
    });
}

impl Cx<'_> {
    pub(super) fn begin_read(
        &mut self,
        call: &str,
        noc: u8,
        src: NocAddr,
        dst_l1: u32,
        size: u32,
        site: Site,
    ) -> Step<()> {
        let cx = self;
        cx.data_movement(call, site)?;
        let index = cx.noc(call, noc, site)?;
        if size == 0 {
            return Err(cx.zero_bytes(call, site));
        }
        cx.local(call, dst_l1, size, site)?;
        let source = cx.remote(call, src, size, site)?;
        cx.aligned(call, source, dst_l1, true, site)?;
        cx.fills_reserved(call, dst_l1, size, site)?;
        let trid = cx.core.threads[cx.me].read_state[index].trid;
        let mut read = PendingRead { source, dest: dst_l1, size, noc, trid, landed: false, site };
        if cx.by_chance(2) {
            read.landed = cx.land(&read);
        }
        if cx.shared.options.dram_reads.is_some() {
            cx.log_read(&read);
        }
        let elsewhere = matches!(source, Remote::L1 { core, .. } if core != cx.core.index);
        let thread = cx.thread();
        thread.remote_reads[usize::from(noc)] += u32::from(elsewhere);
        thread.reads.push(read);
        cx.core.counters.noc_reads += 1;
        cx.core.counters.noc_read_bytes += u64::from(size);
        Ok(())
    }

    #[cold]
    fn log_read(&mut self, read: &PendingRead) {
        let Remote::Dram { bank, addr } = read.source else { return };
        let others =
            self.core.threads[self.me].reads.iter().filter(|r| matches!(r.source, Remote::Dram { .. })).count();
        let who = self.core.who(self.me);
        let under_way = others as u32 + 1;
        self.core.dram_reads.push(DramRead { who, bank, addr, bytes: read.size, trid: read.trid, under_way });
    }

    /// A write to another place: checked, then on its way.
    #[allow(clippy::too_many_arguments)] // what the call has, and where it stands
    pub(super) fn begin_write(
        &mut self,
        call: &str,
        noc: u8,
        src_l1: u32,
        dst: NocAddr,
        size: u32,
        tag: impl FnOnce(u8) -> Tag,
        site: Site,
    ) -> Step<()> {
        self.data_movement(call, site)?;
        let noc = self.noc(call, noc, site)?;
        if size == 0 {
            return Err(self.zero_bytes(call, site));
        }
        self.local(call, src_l1, size, site)?;
        let dest = self.remote(call, dst, size, site)?;
        self.aligned(call, dest, src_l1, false, site)?;
        self.uses_waited(call, src_l1, size, site)?;
        self.room(size)?;
        let due = self.by_chance(4);
        let tag = tag(self.core.threads[self.me].write_state[noc].trid);
        self.enqueue_tagged(noc, src_l1, dest, size, due, tag, site);
        Ok(())
    }
}

/// What a write has beside its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tag {
    pub(super) trid: u8,
    pub(super) posted: bool,
}

/// Starts a write from this core's L1.
pub fn noc_async_write(noc: u8, src_l1: u32, dst: NocAddr, size: u32, site: Site) {
    write(noc, src_l1, dst, size, false, site);
}

/// As [`noc_async_write`], without acknowledgement: only `noc_async_posted_writes_flushed` waits for it.
pub fn noc_async_write_posted(noc: u8, src_l1: u32, dst: NocAddr, size: u32, site: Site) {
    write(noc, src_l1, dst, size, true, site);
}

fn write(noc: u8, src_l1: u32, dst: NocAddr, size: u32, posted: bool, site: Site) {
    const CALL: &str = "noc_async_write";
    op(site, |cx| {
        cx.begin_write(CALL, noc, src_l1, dst, size, |trid| Tag { trid, posted }, site)?;
        cx.thread().write_state[usize::from(noc)].overwritten = Some(site);
        Ok(())
    });
}

/// Waits until all reads of this thread on this NoC have landed.
pub fn noc_async_read_barrier(noc: u8, site: Site) {
    const CALL: &str = "noc_async_read_barrier";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        if cx.thread().reads.is_empty() {
            return Ok(());
        }
        let mut reads = std::mem::take(&mut cx.thread().reads);
        reads.retain(|r| r.noc != noc || !(r.landed || cx.land(r)));
        cx.thread().reads = reads;
        if cx.thread().remote_reads[index] > 0 {
            return Err(Stop::Wait(Wait::Reads { noc, trid: None }));
        }
        Ok(())
    });
}

/// Waits until all writes of this thread on this NoC have arrived.
pub fn noc_async_write_barrier(noc: u8, site: Site) {
    const CALL: &str = "noc_async_write_barrier";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        if cx.thread().unacked[index] == 0 {
            return Ok(());
        }
        let me = cx.me as u8;
        cx.core.queue.mark_due(|op| op.thread == me && op.noc == noc);
        Err(Stop::Wait(Wait::Writes { noc, trid: None }))
    });
}

/// The data of all writes of this thread on this NoC has left L1, which may be used again.
pub fn noc_async_writes_flushed(noc: u8, site: Site) {
    const CALL: &str = "noc_async_writes_flushed";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        cx.capture(index, false, None);
        Ok(())
    });
}

/// Waits until all remote increments of this thread on this NoC are done.
pub fn noc_async_atomic_barrier(noc: u8, site: Site) {
    const CALL: &str = "noc_async_atomic_barrier";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        if cx.thread().atomics[index] == 0 { Ok(()) } else { Err(Stop::Wait(Wait::Atomics { noc })) }
    });
}

/// All of the barriers.
pub fn noc_async_full_barrier(noc: u8, site: Site) {
    noc_async_read_barrier(noc, site);
    noc_async_write_barrier(noc, site);
    noc_async_atomic_barrier(noc, site);
    noc_async_posted_writes_flushed(noc, site);
}

/// The data of all posted writes of this thread on this NoC has left L1, which may be used again.
pub fn noc_async_posted_writes_flushed(noc: u8, site: Site) {
    const CALL: &str = "noc_async_posted_writes_flushed";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let index = cx.noc(CALL, noc, site)?;
        cx.capture(index, true, None);
        Ok(())
    });
}
