//! Words that travel in the request itself, and increments of a word on many cores.

use super::{NocAddr, Receivers, Step, Stop, op};
use crate::sim::error::ErrorKind;
use crate::sim::noc::{Outgoing, Remote, Source, What};
use crate::sim::thread::Cx;
use crate::site::Site;

impl Cx<'_> {
    /// The word leaves with the call: nothing in L1 has to stay as it is.
    fn enqueue_inline(&mut self, noc: usize, dest: Remote, value: u32, posted: bool, site: Site) -> Step<()> {
        self.room(4)?;
        let due = self.by_chance(4);
        let thread = &mut self.core.threads[self.me];
        if !posted {
            thread.unacked[noc] += 1;
            thread.unacked_ids[noc][0] += 1;
        }
        let queue = &mut self.core.queue;
        let source = Source::Captured(queue.arena.store(&value.to_le_bytes()));
        queue.bytes += 4;
        queue.due += usize::from(due);
        let what = What::Write { source, size: 4 };
        let (thread, noc) = (self.me as u8, noc as u8);
        queue.list.push(Outgoing { thread, noc, trid: 0, posted, due, dest, what, pipe: None, from: 0, site });
        self.core.counters.noc_writes += 1;
        self.core.counters.noc_write_bytes += 4;
        Ok(())
    }

    fn whole_word(&self, call: &str, addr: u64, byte_enables: u32, site: Site) -> Step<()> {
        if !addr.is_multiple_of(4) {
            let message = format!("`{call}`: address {addr:#x} of a word is not a multiple of 4");
            return Err(Stop::Fail(
                self.error(ErrorKind::Noc, message, site)
                    .help("words have 4 bytes: the address must be a multiple of 4"),
            ));
        }
        if byte_enables & 0xf != 0xf {
            let message = format!("`{call}` with byte enables {byte_enables:#x}: only whole words are simulated");
            return Err(Stop::Fail(
                self.error(ErrorKind::Noc, message, site)
                    .help("write whole words: read the word and put the bytes into it before"),
            ));
        }
        Ok(())
    }
}

/// Writes `value` to a word of another core.
pub fn noc_inline_dw_write(noc: u8, dst: NocAddr, value: u32, byte_enables: u32, posted: bool, site: Site) {
    const CALL: &str = "noc_inline_dw_write";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let noc = cx.noc(CALL, noc, site)?;
        cx.whole_word(CALL, dst.local(), byte_enables, site)?;
        let dest = cx.remote(CALL, dst, 4, site)?;
        if let Remote::Dram { bank, .. } = dest {
            let error = cx.error(ErrorKind::Noc, format!("`{CALL}` to DRAM bank {bank}"), site);
            return Err(Stop::Fail(error.help("a word in a request goes to the L1 of a core; write DRAM from L1")));
        }
        cx.enqueue_inline(noc, dest, value, posted, site)
    });
}

/// Writes `value` to a word of every core of a rectangle but this one.
pub fn noc_inline_mcast_dw_write(
    noc: u8,
    dst: NocAddr,
    value: u32,
    byte_enables: u32,
    num_dests: u32,
    posted: bool,
    site: Site,
) {
    const CALL: &str = "noc_inline_mcast_dw_write";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let noc = cx.noc(CALL, noc, site)?;
        cx.whole_word(CALL, dst.local(), byte_enables, site)?;
        let to = Receivers { num_dests, loopback: false };
        let (cores, addr) = cx.rectangle(CALL, noc, dst, 4, to, site)?;
        cx.enqueue_inline(noc, Remote::Many { cores, addr }, value, posted, site)
    });
}

/// Adds to a word of every core of a rectangle but this one. Nothing that this thread sent there on the same NoC before is overtaken.
pub fn noc_semaphore_inc_multicast(noc: u8, dst: NocAddr, incr: u32, num_dests: u32, site: Site) {
    const CALL: &str = "noc_semaphore_inc_multicast";
    op(site, |cx| {
        cx.data_movement(CALL, site)?;
        let noc = cx.noc(CALL, noc, site)?;
        cx.whole_word(CALL, dst.local(), 0xf, site)?;
        let to = Receivers { num_dests, loopback: false };
        let (cores, addr) = cx.rectangle(CALL, noc, dst, 4, to, site)?;
        cx.enqueue_signal(noc, Remote::Many { cores, addr }, Ok(incr), site)
    });
}
