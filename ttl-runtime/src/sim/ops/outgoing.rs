//! The queue of what a core has sent and what has not arrived: writes, flags and increments.

use super::{Step, Stop};
use crate::sim::core::Wait;
use crate::sim::noc::{Outgoing, Remote, Source, What};
use crate::sim::thread::Cx;
use crate::site::Site;

/// Entries of one core's queue of outgoing operations before the next one waits, whatever their size.
const QUEUE_ENTRIES: usize = 4096;

/// What a write has beside its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tag {
    pub(super) trid: u8,
    pub(super) posted: bool,
}

impl Cx<'_> {
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
}
