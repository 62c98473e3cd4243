//! NoC transfers and their barriers.
//!
//! A read is noted when it is issued and copied when its barrier is called; a write is noted when it is issued, copied out of L1 when
//! it is flushed, and arrives at a boundary between epochs. See the module docs of `sim`.

use super::outgoing::Tag;
use super::{NocAddr, Step, Stop, op};
use crate::sim::core::Wait;
use crate::sim::error::ErrorKind;
use crate::sim::noc::{self, PendingRead, Remote};
use crate::sim::reads::DramRead;
use crate::sim::thread::Cx;
use crate::site::Site;

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
            return Err(Stop::Fail(
                cx.error(ErrorKind::Noc, message, site).help("banks count from 0: take the bank modulo their number"),
            ));
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
